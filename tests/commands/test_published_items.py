"""Items in the forms in which they are published; the items here are made up."""

import json

import pandas as pd
import pytest

from socialbias.commands.measure_items import read_items
from socialbias.errors import UserError
from socialbias.models.items import Pair
from tests import evaluation_logs as logs
from tests.measures.datasets.test_published import STEREOSET as PUBLISHED

HEADER = ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators"
CROWS = f"""{HEADER}
7,"Bakers are slow, always.","Guards are slow, always.",stereo,job,"[['job'], []]",a0,"['a1']"
8,Old men talk.,Young men talk.,antistereo,age,[],a1,[]
"""
STATS = "occupation\tbls_pct_female\nbaker\t60\nguard\t20\n"
SENTENCES = "sentid\tsentence\n" + "".join(
    f"{name}.visitor.{answer}.{gender}.txt\tThe {name} said {word} was late ({answer}).\n"
    for name in ("baker", "guard")
    for answer in (0, 1)
    for gender, word in (("male", "he"), ("female", "she"), ("neutral", "they"))
)
WINOGENDER = {"all_sentences.tsv": SENTENCES, "occupations-stats.tsv": STATS}
PRO = "1 [The baker] met the guard since [she] came.\n2 The baker met [the guard]: [he] slept.\n"
ANTI = PRO.replace("[he]", "[x]").replace("[she]", "[he]").replace("[x]", "[she]")

STEREOSET = json.loads(json.dumps(PUBLISHED))
for each in STEREOSET["data"]["intrasentence"]:
    for part in each["sentences"]:
        part["sentence"] = each["context"].replace("BLANK", part["gold_label"])
for each in STEREOSET["data"]["intersentence"]:
    each["context"] = "The gardener came."


def hub(numbers: bool) -> list[dict]:
    """StereoSet's items as rows of the Hub, with numbers or words for labels."""
    names = ["anti-stereotype", "stereotype", "unrelated", "related"]
    rows = []
    for item in (each for task in STEREOSET["data"].values() for each in task):
        table = pd.DataFrame(item["sentences"])
        labels = [
            {key: [each[key] for each in of] for key in ("label", "human_id")}
            for of in table["labels"]
        ]
        gold = table["gold_label"].tolist()
        if numbers:
            gold = [names.index(label) for label in gold]
            for each in labels:
                each["label"] = [names.index(label) for label in each["label"]]
        columns = {"sentence": table["sentence"].tolist(), "id": table["id"].tolist()}
        rows.append(item | {"sentences": columns | {"labels": labels, "gold_label": gold}})
    return rows


def put(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder / next(iter(files))


@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_stereoset_of_the_hub_is_that_of_the_authors(tmp_path, suffix, numbers):
    authors = read_items(put(tmp_path, **{"dev.json": json.dumps(STEREOSET)}))
    path = tmp_path / f"hub.{suffix}"
    if suffix == "parquet":
        pd.DataFrame(hub(numbers)).to_parquet(path)
    else:
        path.write_text("\n".join(map(json.dumps, hub(numbers))))
    assert read_items(path) == authors
    assert authors.items


def test_crows_pairs_are_pairs_that_are_their_own_terms(tmp_path):
    read = read_items(put(tmp_path, **{"c.csv": CROWS}))
    assert read.labels == {"item": ["7", "8"], "term": ["7", "8"], "domain": ["job", "age"]}
    assert read.items[0] == Pair(("Bakers are slow, always.", "Guards are slow, always."))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_editions_of_crows_pairs_may_lack_columns(tmp_path, delimiter):
    text = (
        delimiter.join(("sent_more", "sent_less"))
        + "\n"
        + delimiter.join(("Été.", "Hiver."))
        + "\n"
    )
    read = read_items(put(tmp_path, **{"fr.csv": text}))
    assert read.labels == {"item": ["0"], "term": ["0"]}
    assert read.items == [Pair(("Été.", "Hiver."))]


@pytest.mark.parametrize(
    "name", ["pro_stereotyped_type1.txt.dev", "anti_stereotyped_type1.txt.dev"]
)
def test_winobias_pairs_the_lines_of_two_files(tmp_path, name):
    files = {
        f"{side}_stereotyped_type1.txt.dev": text for side, text in (("pro", PRO), ("anti", ANTI))
    }
    put(tmp_path, **files)
    read = read_items(tmp_path / name)
    assert read.labels == {"item": ["1", "2"], "term": ["baker", "guard"]}
    assert read.items[0].sentences[0] == "The baker met the guard since she came."
    assert read.items[1].sentences[1] == "The baker met the guard: she slept."


def test_winogender_pairs_genders_where_the_pronoun_is_of_the_occupation(tmp_path):
    read = read_items(
        put(tmp_path, **{"all_sentences.tsv": SENTENCES, "occupations-stats.tsv": STATS})
    )
    assert read.labels == {"item": ["baker.visitor", "guard.visitor"], "term": ["baker", "guard"]}
    assert [item.sentences[0].split()[3] for item in read.items] == ["she", "he"]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_items_of_bbq_are_for_a_harness(tmp_path, suffix):
    path = tmp_path / f"bbq.{suffix}"
    if suffix == "parquet":
        pd.DataFrame(logs.bbq()).to_parquet(path)
    else:
        path.write_text("\n".join(map(json.dumps, logs.bbq())))
    with pytest.raises(UserError, match=r"^[^\n]*bbq\.[^\n]*questions with answers[^\n]*harness"):
        read_items(path)


def stereoset(**changes):
    data = json.loads(json.dumps(STEREOSET))
    data["data"]["intrasentence"][0]["sentences"][0] |= changes
    return json.dumps(data)


ID = STEREOSET["data"]["intrasentence"][0]["id"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"c.csv": CROWS.replace("Old men", "Young men")}, "pair 8 needs two different sentences"),
        ({"c.csv": CROWS.replace("Old men talk.", '" "')}, "pair 8 needs two different sentences"),
        ({"c.csv": HEADER}, "contains no pairs"),
        ({"c.csv": "sent_more,text\na,b\n"}, "no column sent_less"),
        ({"d.json": stereoset(sentence="Otro.")}, f"item {ID}: .* does not fill"),
        ({"d.json": json.dumps({"data": {}})}, "not a StereoSet file: no key 'intrasentence'"),
        ({"d.jsonl": json.dumps({"sentences": {}})}, "not a StereoSet file: "),
        ({"pro_stereotyped_1.txt": PRO}, "anti_stereotyped_1.txt: no such file"),
        ({"type1.txt": PRO}, "keep the name that it has in WinoBias"),
        (
            {"pro_stereotyped_1.txt": PRO, "anti_stereotyped_1.txt": ANTI.replace("slept", "sat")},
            "anti_stereotyped_1.txt, line 2: not the sentence of pro_stereotyped_1.txt",
        ),
        ({"all_sentences.tsv": SENTENCES}, "occupations-stats.tsv: no such file"),
        (WINOGENDER | {"occupations-stats.tsv": "a\tb\n"}, "not Winogender's labour statistics"),
        (
            {
                "all_sentences.tsv": SENTENCES.replace("guard.", "judge."),
                "occupations-stats.tsv": STATS,
            },
            "line 8: no sentence of a known occupation",
        ),
    ],
)
def test_a_wrong_item_is_named(tmp_path, files, message):
    path = put(tmp_path, **files)
    with pytest.raises(UserError, match=message) as refused:
        read_items(path)
    assert str(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)
