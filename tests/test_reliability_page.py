from tests.paths import REPOSITORY
from tests.reliability import PAGE, faults_in, page


def test_the_page_of_faults_is_current():
    assert PAGE.read_text("utf-8") == page(REPOSITORY / "tests"), "run `make generate`"


def test_faults_are_read_from_decorators_and_from_marks_in_their_order():
    text = """
@fault("b", "x")
@pytest.mark.parametrize("n", [pytest.param(1, marks=fault("a " "long", "y"))])
def test_one(n): ...
"""
    assert list(faults_in(text)) == [("b", "x"), ("a long", "y")]
    assert list(faults_in("other('a', 'b')")) == []
