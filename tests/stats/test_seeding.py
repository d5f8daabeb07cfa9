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
