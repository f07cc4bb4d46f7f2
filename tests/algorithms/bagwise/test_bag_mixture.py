"""EM over bags, against worked numbers, scipy's distributions and a plain mixture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize
from scipy.special import softmax

from algorithms.bagwise.mixtures.bag_mixture import (
    Content,
    Length,
    LengthModel,
    MixtureContent,
    MultinomialContent,
    Run,
    floored_shares,
    run_em,
)

Array = npt.NDArray[np.float64]

WORKED_START = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
LENGTH_MODELS: tuple[LengthModel, ...] = ("binomial", "poisson", "none")


@dataclass(frozen=True)
class Line:
    """Instances on a line, under concepts N(mean, 1) of equal shares."""

    values: list[list[float]]
    means: tuple[float, ...] = (0.0, 4.0)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        return np.array([len(bag) for bag in self.values])

    @property
    def log_densities(self) -> Array:
        x = np.concatenate(self.values)
        return np.asarray(stats.norm.logpdf(x[:, None], np.array(self.means), 1.0))

    @property
    def counts(self) -> Array:
        posterior = softmax(self.log_densities, axis=1)
        return np.array([rows.sum(axis=0) for rows in np.split(posterior, self.starts[1:])])

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.sizes) - self.sizes

    def content(self, likelihood: str) -> Content:
        if likelihood == "multinomial":
            return MultinomialContent(self.counts)
        return MixtureContent.of(self.log_densities, self.counts, self.starts, self.sizes)

    def run(
        self,
        likelihood: str,
        length: LengthModel,
        start: Array = WORKED_START,
        *,
        tol: float = 1e-12,
        max_iter: int = 200,
    ) -> Run:
        longest = Length(length, int(self.sizes.max()))
        return run_em(self.content(likelihood), self.sizes, longest, start, tol, max_iter)


WORKED = Line([[0.0, 1.0], [4.0, 3.0, 5.0], [0.0, 4.0]])


def test_confidence_summary_vectors_are_posterior_counts() -> None:
    expected = [[1.981678, 0.018322], [0.018328, 2.981672], [1.0, 1.0]]
    np.testing.assert_allclose(WORKED.counts, expected, atol=1e-6)


def test_worked_m_step() -> None:
    groups = WORKED.run("mixture", "binomial", max_iter=0).groups
    np.testing.assert_allclose(groups.weights, [2 / 3, 1 / 3], atol=1e-6)
    # the second group's chance of 1 is cut to 0.999999
    np.testing.assert_allclose(groups.lengths / 3, [2 / 3, 0.999999], atol=1e-6)
    np.testing.assert_allclose(
        groups.profiles, [[0.745420, 0.254580], [0.006109, 0.993891]], atol=1.5e-6
    )


@pytest.mark.parametrize(
    ("likelihood", "length", "expected"),
    [
        (
            "mixture",
            "none",
            [[-3.324608, -12.198050], [-8.213457, -4.873697], [-3.904192, -7.987431]],
        ),
        (
            "mixture",
            "binomial",
            [[-4.135538, -24.914950], [-9.429852, -4.873700], [-4.715123, -20.704331]],
        ),
        (
            "multinomial",
            "none",
            [[-1.012764, -11.201230], [-4.490191, -1.210318], [-2.067412, -6.202694]],
        ),
    ],
)
def test_worked_e_step(likelihood: str, length: LengthModel, expected: list[list[float]]) -> None:
    run = WORKED.run(likelihood, length, max_iter=0)
    joint = run.groups.joint(WORKED.content(likelihood), WORKED.sizes)
    # profiles are floored here and lifted by 1e-6 in the worked numbers, which a small one feels
    np.testing.assert_allclose(joint, expected, atol=4e-4)


def test_worked_responsibilities() -> None:
    without = WORKED.run("mixture", "none", max_iter=0)
    expected = [[0.999860, 0.000140], [0.034232, 0.965768], [0.983427, 0.016573]]
    np.testing.assert_allclose(without.share, expected, atol=1e-5)
    within = WORKED.run("mixture", "binomial", max_iter=0)
    np.testing.assert_allclose(within.share[1], [0.010393, 0.989607], atol=1e-5)


@pytest.mark.parametrize(
    ("likelihood", "length", "expected"),
    [
        ("mixture", "none", [-12.050813]),
        ("mixture", "binomial", [-13.713913, -13.695756, -13.695643]),
        ("multinomial", "none", [-4.237643]),
        ("multinomial", "binomial", [-5.901268]),
    ],
)
def test_worked_log_likelihoods(
    likelihood: str, length: LengthModel, expected: list[float]
) -> None:
    trace = WORKED.run(likelihood, length).trace
    np.testing.assert_allclose(trace[: len(expected)], expected, atol=3e-6)


def test_worked_limits() -> None:
    # within what floors of 1e-6 can do
    assert WORKED.run("mixture", "binomial").trace[-1] == pytest.approx(-13.695642, abs=5e-6)
    assert WORKED.run("multinomial", "binomial").trace[-1] == pytest.approx(-5.900687, abs=5e-6)


@pytest.mark.parametrize("length", LENGTH_MODELS)
def test_log_likelihood_is_that_of_the_distributions_written_out(length: LengthModel) -> None:
    line = Line([[0.3], [2.0, 5.0, -1.0], [4.4, 0.2], [1.0, 1.5]], means=(0.0, 4.0, 2.0))
    start = np.array([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5], [0.9, 0.1]])
    run = line.run("mixture", length, start, max_iter=3)
    groups, expected = run.groups, 0.0
    for bag in line.values:
        probability = 0.0
        for c in range(2):
            product = groups.weights[c]
            if length == "binomial":
                product *= stats.binom.pmf(len(bag), 3, groups.lengths[c] / 3)
            if length == "poisson":
                product *= stats.poisson.pmf(len(bag), groups.lengths[c])
            for x in bag:
                product *= sum(
                    groups.profiles[c, k] * stats.norm.pdf(x, mean)
                    for k, mean in enumerate(line.means)
                )
            probability += product
        expected += np.log(probability)
    assert run.trace[-1] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n_groups", [1, 3])
def test_bags_of_one_instance_make_a_plain_mixture(n_groups: int) -> None:
    rng = np.random.default_rng(0)
    line = Line([[x] for x in rng.normal(rng.choice([0.0, 4.0, 2.5], 60), 1.0)], (0.0, 4.0, 2.0))
    start = rng.dirichlet(np.ones(n_groups), 60)
    run = line.run("mixture", "none", start, tol=0.0, max_iter=5000)
    densities = np.exp(line.log_densities)

    def loss(free: Array) -> float:
        weights = np.exp(np.append(free, 0.0))
        return -float(np.log(densities @ (weights / weights.sum())).sum())

    best = minimize(loss, np.zeros(2), tol=1e-12)
    # every group being a mixture of the same concepts, they add up to one
    assert run.trace[-1] == pytest.approx(-best.fun, abs=1e-5)
    total = run.groups.weights @ run.groups.profiles
    expected = np.exp(np.append(best.x, 0.0))
    np.testing.assert_allclose(total, expected / expected.sum(), atol=1e-3)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    value = st.floats(-30, 30)
    bags = draw(st.lists(st.lists(value, min_size=1, max_size=5), min_size=1, max_size=8))
    means = draw(st.lists(st.floats(-20, 20), min_size=1, max_size=4))
    return Line(bags, tuple(means))


@settings(max_examples=40)
@given(
    lines(),
    st.sampled_from(["mixture", "multinomial"]),
    st.sampled_from(LENGTH_MODELS),
    st.integers(1, 4),
    st.integers(0, 99),
    st.booleans(),
)
def test_log_likelihood_never_falls(
    line: Line, likelihood: str, length: LengthModel, n_groups: int, seed: int, hard: bool
) -> None:
    rng = np.random.default_rng(seed)
    start = rng.dirichlet(np.ones(n_groups), len(line.values))
    if hard:
        start = np.eye(n_groups)[start.argmax(axis=1)]
    trace = np.array(line.run(likelihood, length, start, tol=0.0, max_iter=30).trace)
    assert np.isfinite(trace).all()
    assert (np.diff(trace) >= -1e-9 * (1 + np.abs(trace[1:]))).all()


@settings(max_examples=25)
@given(lines(), st.integers(0, 99))
def test_order_of_bags_and_of_their_instances_does_not_matter(line: Line, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(line.values))
    shuffled = Line([list(rng.permutation(line.values[m])) for m in order], line.means)
    start = rng.dirichlet(np.ones(2), len(line.values))
    first = line.run("mixture", "binomial", start, max_iter=3)
    second = shuffled.run("mixture", "binomial", start[order], max_iter=3)
    np.testing.assert_allclose(second.share, first.share[order], atol=1e-6)
    np.testing.assert_allclose(second.trace[:3], first.trace[:3], rtol=1e-9, atol=1e-9)


def test_a_group_that_nobody_starts_in_does_no_harm() -> None:
    start = np.hstack([WORKED_START, np.zeros((3, 1))])
    run = WORKED.run("mixture", "binomial", start)
    assert np.isfinite(run.share).all()
    assert run.trace[0] == pytest.approx(-13.713913, abs=1e-5)


def test_far_instances_do_not_underflow() -> None:
    run = Line([[-1e4, 1e4], [1e4], [0.0]]).run("mixture", "poisson")
    assert np.isfinite(run.trace).all()
    assert np.isfinite(run.share).all()


def test_bags_beyond_the_longest_count_as_the_longest_under_the_binomial() -> None:
    length = Length("binomial", 4)
    at_most, beyond = length.log_probabilities(np.array([4, 9]), np.array([1.0, 3.0]))
    np.testing.assert_array_equal(beyond, at_most)
    poisson = Length("poisson", 4).log_probabilities(np.array([4, 9]), np.array([1.0, 3.0]))
    np.testing.assert_allclose(poisson, stats.poisson.logpmf([[4], [9]], [1.0, 3.0]))


@settings(max_examples=60)
@given(
    st.lists(st.one_of(st.just(0.0), st.floats(1e-9, 100)), min_size=1, max_size=6),
    st.sampled_from([0.0, 1e-6, 0.05, 0.15]),
    st.integers(0, 99),
)
def test_floored_shares_are_the_best_above_the_floor(
    counts: list[float], floor: float, seed: int
) -> None:
    given_counts = np.array(counts)
    shares = floored_shares(given_counts, floor)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= floor).all()
    # no other allowed shares are more likely
    rng = np.random.default_rng(seed)
    others = floor + (1 - floor * len(counts)) * rng.dirichlet(np.ones(len(counts)), 50)

    def likelihood(p: Array) -> Array:
        held = given_counts > 0
        return np.asarray(np.log(p[..., held]) @ given_counts[held])

    assert (likelihood(others) <= likelihood(shares) + 1e-9).all()
