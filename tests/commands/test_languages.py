"""Measuring in other languages than English.

The vectors are made by hand, so that what comes out can be worked out by hand; but the Russian ones
and the Russian text, which are gensim's: real, of a page of a novel in Russian and English.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from gensim.test.utils import datapath

import socialbias
from socialbias.commands.cli import cli
from socialbias.corpora.documents import Document
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import groups_of, lists, targets_of
from socialbias.errors import UserError
from socialbias.measurement.spelling import tokenised

pytestmark = pytest.mark.usefixtures("few_halves", "few_draws")
TRANSLATED = ("de", "es", "hr", "it", "ru", "tr")
TESTS = {  # of XWEAT, by the lists of its targets and of its attributes
    "flowers-insects": "pleasant",
    "instruments-weapons": "pleasant",
    "arts-math": "gender",
    "arts-science": "gender-kinship",
    "illness": "permanence",
}
PLAIN = ("flowers-insects", "instruments-weapons", "illness")  # without names or group words
NOVEL = Path(datapath("crime-and-punishment.vec"))


def made(**words):
    """Vectors in two dimensions; none has the length of another."""
    lengths = 1 + np.arange(len(words))[:, None] / 64
    return WordVectors(tuple(words), (np.array([*words.values()]) * lengths).astype(np.float32))


def run(*arguments):
    return CliRunner().invoke(cli, [str(a) for a in arguments])


# The lists.


@pytest.mark.parametrize("tag", TRANSLATED)
def test_every_language_has_the_five_tests_and_occupations(tag):
    for targets, groups in TESTS.items():
        found = targets_of(targets, tag), groups_of(groups, tag)
        assert [each.language for each in found] == [tag, tag]
        assert all(len(each.words) == 2 for each in found)
    assert len(targets_of("professions", tag).all) >= 45


def test_the_script_of_a_list_is_that_of_its_words():
    letters = {"Cyrl": "абвгдежзийклмнопрстуфхцчшщъыьэюяё", "Latn": "abcdefghijklmnopqrstuvwxyz"}
    for name, each in lists().items():
        text = "".join(each.all).lower()
        own = sum(text.count(letter) for letter in letters[each.script])
        assert own > 0.8 * len(text), name


def test_french_has_pairs_and_occupations_of_another_paper():
    assert groups_of("gender", "fr").words["female"][:2] == ("femme", "femme")
    forms = targets_of("professions-forms", "fr")
    assert targets_of("professions", "fr").all == [
        word for pair in zip(*forms.words.values(), strict=True) for word in pair
    ]


def test_a_language_without_a_list_is_one_line():
    for given, tag, said in (
        ("race", "de", "race is not packaged in de: there are gender-de, gender-kinship-de"),
        ("gender", "sv", "gender is not packaged in sv: give words or a file of your own"),
    ):
        with pytest.raises(UserError, match=said):
            groups_of(given, tag)
    told = run("lists", "--language", "sv")
    assert told.exit_code == 1
    assert "there are no lists in sv; choose from en, de, es, hr, it, ru, tr, fr" in told.output


# Words as vectors have them.

GERMAN = {"frauen": ["Frau", "sie"], "männer": ["Mann", "er"]}


def test_german_nouns_are_found_in_capitals_or_in_lower_case():
    by_case = [
        socialbias.measure(vectors, GERMAN, ["Ärztin", "Straße"], "association", language="de")
        for vectors in (
            made(Frau=(1, 0), sie=(1, 0), Mann=(0, 1), er=(0, 1), Ärztin=(1, 0), Straße=(0, 1)),
            made(frau=(1, 0), sie=(1, 0), mann=(0, 1), er=(0, 1), ärztin=(1, 0), straße=(0, 1)),
        )
    ]
    for found in by_case:
        assert [(row.target, row.value, row.leans_to) for row in found.rows] == [
            ("Ärztin", 1.0, "frauen"), ("Straße", 1.0, "männer"),
        ]  # fmt: skip
    assert [found.provenance[0].get("words in lower case") for found in by_case] == [None, 4]


def test_a_word_as_given_goes_before_its_lower_case_and_is_not_folded():
    vectors = made(
        Frau=(1, 0), frau=(0, 1), sie=(1, 0), Mann=(0, 1), er=(0, 1), masse=(1, 0), nase=(1, 1)
    )
    found = socialbias.measure(
        vectors, GERMAN, ["Frau", "Maße", "nase"], "association", language="de"
    )
    assert [row.target for row in found.rows] == ["Frau", "nase"]
    assert found.rows[0].value == 1.0
    assert found.missing == {"targets": ["Maße"]}


def test_two_words_are_never_one_vector():
    vectors = made(essen=(1, 0), Frau=(1, 0), sie=(1, 0), Mann=(0, 1), er=(0, 1))
    found = socialbias.measure(vectors, GERMAN, ["Essen", "essen"], "association", language="de")
    assert [row.target for row in found.rows] == ["essen"]


def test_words_of_english_lists_are_looked_up_as_they_are_written():
    vectors = made(she=(1, 0), he=(0, 1), nurse=(1, 0))
    groups = {"female": ["She", "she"], "male": ["he"]}
    found = socialbias.measure(vectors, groups, "Nurse,nurse", "association")
    assert found.missing == {"female": ["She"], "targets": ["Nurse"]}
    found = socialbias.measure(vectors, groups, "Nurse", "association", language="en")
    assert found.missing == {"female": ["She"]}  # she is in the list itself


def test_turkish_has_two_letters_i():
    groups = {"kadınlar": ["kız"], "erkekler": ["erkek"]}
    vectors = made(kız=(1, 0), erkek=(0, 1), işçi=(1, 0), ısparta=(0, 1))
    found = socialbias.measure(vectors, groups, "İşçi,ISPARTA", "association", language="tr")
    assert [(row.target, row.leans_to) for row in found.rows] == [
        ("İşçi", "kadınlar"), ("ISPARTA", "erkekler"),
    ]  # fmt: skip
    with pytest.raises(UserError, match="targets: none of them has a vector"):
        socialbias.measure(vectors, groups, "İşçi,ISPARTA", "association", language="de")


def test_a_pronoun_of_both_groups_is_noted_and_is_no_pair():
    groups = {"kadınlar": ["kadın", "kız", "o"], "erkekler": ["erkek", "oğlan", "o"]}
    vectors = {"kadın": (2, 1), "kız": (2, 2), "erkek": (1, 1), "oğlan": (1, 2), "o": (5, 9)}
    vectors["hemşire"] = (2, 0)
    found = socialbias.measure(vectors, groups, "hemşire", "direct-bias-uncentred", language="tr")
    assert "words in every group, which cannot distinguish them: o" in found.notes
    assert found.rows[0].value == pytest.approx(1)  # both pairs differ along (1, 0)


def test_lists_of_two_languages_are_noted():
    vectors = made(she=(1, 0), he=(0, 1), Arzt=(1, 1))
    found = socialbias.measure(vectors, "gender", targets_of("Arzt", "de"), "association")
    hint = "use --language to choose one language for both"
    assert f"groups are in en and targets in de; {hint}" in found.notes
    alike = targets_of("Dichtung,Algebra", "de-AT")
    assert socialbias.measure(planted("de"), "gender-de", alike, "mac").notes == ()


# WEAT.


def planted(tag):
    """Vectors of all words of XWEAT's tests, those of each first set (1, 0), the others (0, 1)."""
    words = {}
    for targets, groups in TESTS.items():
        for each in (targets_of(targets, tag), groups_of(groups, tag)):
            for i, part in enumerate(each.words.values()):
                words |= dict.fromkeys(part, (1 - i, i))
    return made(**words)


@pytest.mark.parametrize(("tag", "targets"), [*zip(TRANSLATED, 2 * PLAIN, strict=True)])
def test_weat_finds_what_is_planted(tag, targets):
    vectors = planted(tag)
    found = socialbias.measure(vectors, TESTS[targets], targets, "weat", language=tag)
    # Associations are 1 in one set and -1 in the other; the standard deviation has n - 1.
    sizes = [len(words) for words in targets_of(targets, tag).words.values()]
    n, share = sum(sizes), sizes[0] / sum(sizes)
    expected = 2 / np.sqrt(4 * share * (1 - share) * n / (n - 1))
    assert found.value == pytest.approx(expected, rel=0.02)
    groups = groups_of(TESTS[targets], tag).words.values()
    assert found.n == n + sum(map(len, groups))
    assert found.missing == {}


# Texts.


def test_words_and_marks_are_apart_in_every_language():
    texts = {
        "de": ("Im Haus, im Hof: Frau Maß-Müller.", "im haus , im hof : frau maß-müller ."),
        "it": ("L'uomo e dell’amica", "l ' uomo e dell ’ amica"),
        "tr": ("Işıl İzmir'de.", "ışıl izmir ' de ."),
        "ru": ("Учи\u0438\u0306, ЁЛКА!\nДа.", "учий , ёлка !\nда ."),
    }
    for tag, (text, expected) in texts.items():
        (found,) = tokenised([Document("1", text)], tag)
        assert found.text == expected


@pytest.fixture
def turkish(tmp_path):
    """40 documents in which a nurse is a woman, and 40 in which a worker is a man."""
    path = tmp_path / "tr.txt"
    lines = ["HEMŞİRE bugün çok güzel bir KIZ gördü.", "İşçi bugün çok iyi bir ERKEK gördü."]
    path.write_text("\n".join(lines * 40) + "\n", "utf-8")
    return path


def test_turkish_texts_are_lower_cased_by_turkish_rule(turkish):
    groups = {"kadın": ["kız"], "erkek": ["erkek"]}
    how = {"groups": groups, "targets": "hemşire,işçi", "by": "line"}
    found = socialbias.measure(turkish, **how, language="tr")
    assert {row.target: (row.n, row.value) for row in found.rows} == {
        "hemşire": (40, 0.5), "işçi": (40, -0.5),
    }  # fmt: skip
    with pytest.raises(UserError, match="no target word occurs near a group word"):
        socialbias.measure(turkish, **how, language="en")


def test_a_text_is_in_the_language_of_the_groups_that_are_named(tmp_path):
    path = tmp_path / "it.txt"
    path.write_text("L'infermiera vide l'altra donna.\nIl medico vide l'uomo.\n" * 30, "utf-8")
    found = socialbias.measure(path, "gender-it", "infermiera,medico", by="line")
    assert {row.target: (row.n, row.value) for row in found.rows} == {
        "infermiera": (30, 0.5), "medico": (30, -0.5),
    }  # fmt: skip


def test_seeds_are_audited_in_a_text_of_their_language(turkish, tmp_path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("[kadın]\nKız\nHEMŞİRE\nkadın\n[erkek]\nerkek\nİşçi\n", "utf-8")
    asked = ("audit", turkish, "--seeds", seeds, "--by", "line", "--replicates", 1)
    told = run(*asked, "--language", "tr", "-o", tmp_path / "a.csv")
    assert told.exit_code == 0, told.output
    words = pd.read_csv(tmp_path / "a.csv").set_index("word")
    assert words["count"].to_dict() == {
        "Kız": 40,
        "hemşire": 40,
        "kadın": 0,
        "erkek": 40,
        "işçi": 40,
    }
    assert "2 of 3 distinct words in the vocabulary" in told.output


def test_seeds_are_audited_in_vectors_with_capitals(tmp_path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("[frauen]\nFrau\nSchwester\n[männer]\nMann\nBruder\nSohn\n", "utf-8")
    vectors = made(Frau=(1, 0), Schwester=(1, 0.2), Mann=(0, 1), bruder=(0.2, 1), sie=(2, 0.1))
    found = socialbias.audit_seeds(vectors, seeds, language="de")
    assert found.words.set_index("word")["in_models"].to_dict() == {
        "Frau": 1, "Schwester": 1, "Mann": 1, "Bruder": 1, "Sohn": 0,
    }  # fmt: skip
    # Frau, Schwester and sie are gender-de's; without a language they are not in the vocabulary.
    assert found.sets["n"].tolist() == [2, 2]
    assert socialbias.audit_seeds(vectors, seeds).sets["n"].tolist() == [0, 1]


# Real vectors and real text of a page in Russian.


def test_real_russian_vectors_have_russian_words():
    groups = {"она": ["она", "ее", "хозяйка"], "он": ["он", "его", "ему"]}
    found = socialbias.measure(NOVEL, groups, "Человек,Время,женщина", language="ru")
    assert [row.target for row in found.rows] == ["Человек", "Время"]
    assert found.missing == {"она": ["она", "ее"], "targets": ["женщина"]}
    assert "only 1 of 3 words of она have a vector" in found.notes
    # By hand: with one word of a group its mean cosine is the cosine of that word.
    rows = dict(line.split(" ", 1) for line in NOVEL.read_text("utf-8").splitlines()[1:])
    unit = {word: np.array(row.split(), float) for word, row in rows.items()}
    unit = {word: row / np.linalg.norm(row) for word, row in unit.items()}
    she, he = (
        np.mean([unit["время"] @ unit[word] for word in words])
        for words in (["хозяйка"], groups["он"])
    )
    association = socialbias.measure(NOVEL, groups, "Время", "association", language="ru")
    assert association.value == pytest.approx(abs(she - he), abs=1e-6)


def test_packaged_groups_are_too_few_in_a_page():
    told = run("measure", NOVEL, "--language", "ru")
    assert told.exit_code == 1
    assert "group female: none of its words has a vector: женщина" in told.output
