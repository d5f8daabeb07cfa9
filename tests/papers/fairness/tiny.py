"""Templates and terms small enough to work out by hand."""

import pandas as pd

from socialbias.papers.fairness.suites import TEMPLATES
from socialbias.papers.fairness.terms import TERMS

GENDER = pd.DataFrame(
    [
        ("gender", "generic", "I am {a:identity_np}.", "g.csv, line 2", 1, ""),
        ("gender", "specific", "{Identity_adj} art is dull. ", "s.csv, line 2", 0, ""),
    ],
    columns=TEMPLATES,
)
TERMS_OF_GENDER = pd.DataFrame(
    [
        ("gender", "a", "old", "adj", "1", "t.csv, line 2"),
        ("gender", "a", "young", "adj", "2", "t.csv, line 3"),
        ("gender", "a", "elf", "n", "3", "t.csv, line 4"),
        ("gender", "b", "tall", "adj", "4", "t.csv, line 5"),
        ("gender", "c", "imp", "n", "5", "t.csv, line 6"),
    ],
    columns=TERMS,
)
