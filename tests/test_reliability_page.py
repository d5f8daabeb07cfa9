from tests.paths import REPOSITORY
from tests.reliability import PAGE, page


def test_the_page_of_faults_is_current():
    assert PAGE.read_text("utf-8") == page(REPOSITORY / "tests"), "run `make generate`"
