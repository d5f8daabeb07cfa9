import subprocess
import sys

LIGHT = "import sys, socialbias.embeddings.light_gensim"


def printed(code):
    """What some code prints, in a Python of its own."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_gensim_comes_without_scipy_stats_which_it_finds_when_it_calls_it():
    assert printed(f"{LIGHT}\nprint('gensim' in sys.modules, 'scipy.stats' in sys.modules)") == [
        "True",
        "False",
    ]
    stats = "from gensim.models.keyedvectors import stats"
    called = f"{stats}; print(stats.spearmanr([1, 2, 3], [1, 3, 2])[0])"
    assert [float(number) for number in printed(f"{LIGHT}\n{called}")] == [0.5]


def test_scipy_stats_that_is_there_already_stays():
    code = f"import scipy.stats as before\n{LIGHT}\nprint(sys.modules['scipy.stats'] is before)"
    assert printed(code) == ["True"]
