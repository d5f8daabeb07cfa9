import subprocess
import sys

from socialbias.stats.seeding import generator


def draws(*arguments):
    return generator(*arguments).integers(2**63, size=4).tolist()


def test_the_same_seed_and_names_give_the_same_numbers_whatever_is_drawn_before():
    first = draws(7, "table5", "divdist", 3)
    draws(7, "another")
    assert draws(7, "table5", "divdist", 3) == first


def test_another_seed_name_replicate_or_order_gives_other_numbers():
    variants = [
        (7, "table5", "divdist", 3),
        (8, "table5", "divdist", 3),
        (7, "table5", "divdist", 4),
        (7, "table5", "manzini", 3),
        (7, "divdist", "table5", 3),
        (7, "table5", "divdist"),
        (7, "table5divdist", 3),
        (7,),
    ]
    assert len({tuple(draws(*variant)) for variant in variants}) == len(variants)


def test_another_process_with_another_hash_seed_gives_the_same_numbers():
    code = (
        "from socialbias.stats.seeding import generator;"
        "print(generator(7, 'table5', 3).integers(2**63, size=4).tolist())"
    )
    for hash_seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": hash_seed, "OPENBLAS_NUM_THREADS": "1"}
        answer = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert answer.stdout.strip() == str(draws(7, "table5", 3))
