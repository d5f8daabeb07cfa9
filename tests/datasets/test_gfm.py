"""Templates and terms of the generalized fairness metrics."""

import pickle

import pandas as pd

from socialbias.datasets import gfm

TEMPLATES = """TEMPLATE,DOMAIN,SENT,NER,""\r
"{Person} likes {a:identity_adj} tea, always. ",,2,{Person}:U-PER|Leeds:U-LOC,""\r
It is {identity_adj}.,,0,,""\r
"""


def test_gfm_templates(put):
    table = gfm.read_templates(put("\ufeff" + TEMPLATES))
    assert list(table.columns) == ["template", "domain", "sentiment", "ner", "slots"]
    assert table["template"][0] == "{Person} likes {a:identity_adj} tea, always. "
    assert table["slots"].tolist() == [("Person", "identity_adj"), ("identity_adj",)]
    assert table["sentiment"].tolist() == [2, 0]
    assert table["ner"].tolist() == ["{Person}:U-PER|Leeds:U-LOC", ""]


def test_gfm_terms(put):
    table = gfm.read_terms(put('TERM,"GROUP",POS,"TYPE"\nNA,x,adj,nonrec\nwith tea,,pp,""\n'))
    assert table.to_dict("records") == [
        {"term": "NA", "group": "x", "pos": "adj", "type": "nonrec", "sem": ""},
        {"term": "with tea", "group": "", "pos": "pp", "type": "", "sem": ""},
    ]
    table = gfm.read_terms(put("TERM,GROUP\na,b\n"))
    assert table.loc[0].tolist() == ["a", "b", "", "", ""]


COUNTRIES = """RANK,TERM,COUNTRY_ADJ,CONTINENT,REGION,REGION_ADJ,GDP_NOMINAL,GDP_PPP
2,Ruritania,Ruritanian,Europe,East,Eastern,47,52.5
,Freedonia,Freedonian,Europe,West,Western,,
"""


def test_gfm_countries_with_gaps(put):
    table = gfm.read_countries(put(COUNTRIES))
    assert list(table.columns) == list(gfm.COUNTRY_COLUMNS.values())
    assert table["rank"].tolist() == [2, pd.NA]
    assert table.loc[0, ["gdp_nominal", "gdp_ppp"]].tolist() == [47, 52.5]
    assert table.loc[1, ["gdp_nominal", "gdp_ppp"]].isna().all()


def test_gfm_names(put):
    assert gfm.read_names(put("Ada\nMary Ann\n\nBo \n")) == ("Ada", "Mary Ann", "Bo")


class Munch(dict):
    """A kind of dictionary; the file names munch's."""


def pickled(content):
    data = pickle.dumps(Munch(content), 2)
    return data.replace(f"c{__name__}\nMunch".encode(), b"cmunch\nMunch")


def test_gfm_names_of_wikidata(tmp_path):
    path = tmp_path / "wikidata.pkl"
    path.write_bytes(pickled({"mnames": {"en": ["Bo"], "fr": ["Luc"]}, "fnames": {"en": ["Ada"]}}))
    assert gfm.read_wikidata_names(path) == {"female": ("Ada",), "male": ("Bo",)}
