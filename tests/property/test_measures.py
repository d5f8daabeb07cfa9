"""What must hold of every measure, whatever the words.

Vectors have small whole coordinates, so that zero vectors, opposite words and orthogonal words
come up often.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from socialbias.measures import registry
from socialbias.measures.divdist import DivDist

ATOL = 1e-7
# Any strengths, negative ones too, for which DivDist may warn.
pytestmark = pytest.mark.filterwarnings("ignore:DivDist")
REGISTERED = [each for each in registry.VECTORS if not each.signed and not each.version_of]
MEASURES = {each.name: each.function for each in REGISTERED}
PAIRED = [each.name for each in REGISTERED if each.pairs]
GROW_WITH_SCALE = [
    each.name for each in REGISTERED if each.prior and each.high == registry.INFINITE
]
every_measure = pytest.mark.parametrize("name", list(MEASURES))
cosine_measures = pytest.mark.parametrize("name", [m for m in MEASURES if m not in GROW_WITH_SCALE])
growing_measures = pytest.mark.parametrize("name", GROW_WITH_SCALE)
scales = st.sampled_from([1 / 8, 1 / 3, 0.9, 2.0, 5.5, 8.0])
seeds = st.integers(0, 2**32 - 1)


@dataclass
class World:
    targets: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @property
    def groups(self):
        return [self.first, self.second]


@st.composite
def worlds(draw):
    """Targets and two aligned lists for which every measure is well conditioned."""
    n, m, d = draw(st.integers(1, 4)), draw(st.integers(2, 5)), draw(st.integers(2, 4))

    def matrix(rows):
        return draw(arrays(np.float64, (rows, d), elements=st.integers(-5, 5).map(float)))

    world = World(matrix(n), matrix(m), matrix(m))
    differences = world.first - world.second
    spread = np.linalg.svd(differences - differences.mean(axis=0), compute_uv=False)
    # Two components of equal strength have no first one; a mean near zero has no direction.
    assume(spread[0] - spread[1] > 0.01 * spread[0])
    strengths = DivDist().association(world.targets, world.groups)
    totals = strengths.sum(axis=1)
    # DivDist divides by the total: near zero it is not defined, and exactly zero is golden-tested.
    assume((np.abs(totals) > 0.01).all())
    return world


def of(name, world):
    return MEASURES[name](world.targets, world.groups)


@every_measure
@given(world=worlds(), seed=seeds)
def test_order_of_words_in_a_list_does_not_matter(name, world, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(world.first))
    # Measures on pairs keep the partners together.
    other = order if name in PAIRED else rng.permutation(len(world.second))
    shuffled = World(world.targets, world.first[order], world.second[other])
    assert_allclose(of(name, shuffled), of(name, world), atol=ATOL)


@every_measure
@given(world=worlds(), seed=seeds)
def test_rotating_the_space_changes_nothing(name, world, seed):
    d = world.targets.shape[1]
    q = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    turned = World(world.targets @ q, world.first @ q, world.second @ q)
    assert_allclose(of(name, turned), of(name, world), atol=ATOL)


@cosine_measures
@given(world=worlds(), seed=seeds)
def test_lengths_do_not_matter_to_measures_on_cosines(name, world, seed):
    """Neither of the targets, nor a common scale of the groups."""
    first, *factors = np.random.default_rng(seed).uniform(0.1, 10, 1 + len(world.targets))
    targets = world.targets * np.array(factors)[:, None]
    scaled = World(targets, world.first * first, world.second * first)
    assert_allclose(of(name, scaled), of(name, world), atol=ATOL)


@growing_measures
@given(world=worlds(), scale=scales)
def test_measures_on_lengths_grow_with_a_common_scale(name, world, scale):
    scaled = World(world.targets * scale, world.first * scale, world.second * scale)
    assert_allclose(of(name, scaled), scale * of(name, world), atol=ATOL)


@every_measure
@given(world=worlds())
def test_swapping_the_groups_leaves_the_magnitude(name, world):
    swapped = World(world.targets, world.second, world.first)
    assert_allclose(of(name, swapped), of(name, world), atol=ATOL)


@given(world=worlds(), share=st.floats(0.05, 0.95))
def test_swapping_the_groups_flips_the_directed_bias(world, share):
    there = DivDist().directed(world.targets, [world.first, world.second], [share, 1 - share])
    back = DivDist().directed(world.targets, [world.second, world.first], [1 - share, share])
    assert_allclose(back, -there, atol=ATOL)


@every_measure
@given(world=worlds())
def test_bounds(name, world):
    bias = of(name, world)
    gap = np.linalg.norm(world.first.mean(axis=0) - world.second.mean(axis=0))
    upper = {
        "rnd-euclidean": gap,  # the triangle inequality
        "ripa": np.linalg.norm(world.targets, axis=1),  # Cauchy and Schwarz
    }.get(name, registry.MEASURES[name].high)
    assert (bias >= 0).all()
    assert (bias <= upper + 1e-12).all()


def given_strengths(strengths):
    """DivDist on strengths as they are, with the rest of its defaults."""
    return DivDist(association=lambda targets, groups: np.asarray(strengths, dtype=np.float64))


ANY = np.ones((1, 2))
non_negative = st.floats(0, 1e6).filter(lambda x: x == 0 or x > 1e-6)


@given(
    strengths=arrays(
        np.float64, st.tuples(st.integers(1, 4), st.integers(2, 5)), elements=non_negative
    ),
    seed=seeds,
)
def test_without_negative_strengths_divdist_is_a_distribution_and_at_most_2(strengths, seed):
    k = strengths.shape[1]
    reference = np.random.default_rng(seed).dirichlet(np.ones(k))
    measure = given_strengths(strengths)
    shares = measure.distribution(ANY, [ANY] * k)
    assert (shares >= 0).all()
    assert_allclose(shares.sum(axis=1), 1)
    assert (measure(ANY, [ANY] * k, reference) <= 2 + 1e-12).all()
    # Against the uniform reference the most biased target has all its share in one group.
    assert (measure(ANY, [ANY] * k) <= 2 * (1 - 1 / k) + 1e-12).all()
