"""Grouping the recordings of a workspace, and how many groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from algorithms import Bags
from birdmodes.errors import BirdmodesError
from birdmodes.groups.counts import LEAST_BAGS, _found_again, count_groups, stable_count
from birdmodes.groups.find import GroupOptions, _group_quietly, find_groups
from birdmodes.workspace.store import Workspace

MakeWorkspace = Callable[..., Workspace]
Ints = npt.NDArray[np.int64]


def silent(line: str) -> None:
    """Say nothing."""


@pytest.fixture
def soundscapes(make_workspace: MakeWorkspace) -> Workspace:
    """Eight recordings with kind 0 and four with kind 1, of one clip each; one is silent."""
    return make_workspace(
        *((f"a{n}.wav", [[0, 0, 2]], "Robin") for n in range(8)),
        *((f"b{n}.wav", [[1, 1]], "Wren") for n in range(4)),
        ("c.wav", [[]], ""),
    )


def told(method: str, groups: list[int], **options: object) -> GroupOptions:
    return GroupOptions(method, 2, method_parameters={"groups": groups, **options})


def test_a_real_method_finds_groups_that_lie_far_apart(soundscapes: Workspace) -> None:
    said: list[str] = []
    result = find_groups(soundscapes, GroupOptions("bamic-avg", 2, seed=3), on_step=said.append)
    grouping = result.grouping
    assert grouping.name == "bamic-avg-k2"
    assert grouping.assignments["group"].tolist() == [0] * 8 + [1] * 4 + [-1]
    assert grouping.groups["bags"].tolist() == [8, 4]
    assert grouping.groups["syllables"].tolist() == [24, 8]
    assert grouping.groups["top_species"].tolist() == ["Robin 100 %", "Wren 100 %"]
    assert grouping.metrics["stability"] == grouping.metrics["label_nmi"] == 1.0
    assert result.warnings == ["1 of 13 bags have no syllables and are in no group"]
    assert said[:2] == [
        "features: briggs38 (38)",
        "32 syllables, 13 bags, 2 species, 2 groups",
    ]
    assert grouping.parameters["method"] == "bamic-avg"
    assert (grouping.parameters["k"], grouping.parameters["k_from"]) == (2, "given")
    again = find_groups(soundscapes, GroupOptions("bamic-avg", 2, seed=3)).grouping
    assert again.assignments.equals(grouping.assignments)
    assert again.groups.equals(grouping.groups)


def test_witnesses_are_syllables_and_the_typical_ones(
    soundscapes: Workspace, told_method: str
) -> None:
    result = find_groups(soundscapes, told(told_method, [0] * 8 + [1] * 5))
    table = result.grouping.assignments
    assert table["witness"].tolist() == [
        *(f"a{n}.wav#00000" for n in range(8)), *(f"b{n}.wav#00000" for n in range(4)), "",
    ]  # fmt: skip
    # Earlier bags fit better, see ToldGroups.
    assert table["rank"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 0]
    assert result.grouping.groups["typical_syllables"].tolist() == [
        [f"a{n}.wav#00000" for n in range(8)], [f"b{n}.wav#00000" for n in range(4)],
    ]  # fmt: skip
    assert result.grouping.parameters["typical_syllables"] == "witnesses"


def test_without_witnesses_syllables_are_asked_for_their_neighbours(
    soundscapes: Workspace, told_method: str
) -> None:
    options = told(told_method, [0] * 8 + [1] * 5, witnesses=False)
    grouping = find_groups(soundscapes, options).grouping
    assert set(grouping.assignments["witness"]) == {""}
    typical = grouping.groups["typical_syllables"].tolist()
    assert [len(names) for names in typical] == [12, 8]
    assert all(name.startswith("a") for name in typical[0])
    assert all(name.startswith("b") for name in typical[1])


def test_clips_of_a_long_recording_are_bags_of_their_own(
    make_workspace: MakeWorkspace, told_method: str
) -> None:
    workspace = make_workspace(
        ("long.wav", [[0], [1], []], "Robin"), ("short.wav", [[0]], "Robin"),
        ("whole.wav", [[0], [1]], None, "recording"),
    )  # fmt: skip
    grouping = find_groups(workspace, told(told_method, [0, 1, 0, 0, 1])).grouping
    table = grouping.assignments
    assert table["start_s"].tolist() == [0, 10, 20, 0, 0]
    assert table["end_s"].tolist() == [10, 20, 30, 10, 20]
    assert table["group"].tolist() == [0, 1, -1, 0, 1]
    assert grouping.groups["recordings"].tolist() == [2, 2]
    assert grouping.parameters["clips_of_longer_recordings"] == 3
    assert table["labelled"].tolist() == [True] * 4 + [False]


@pytest.mark.parametrize("method", ["m3ic", "mi-em", "kmeans-vote", "pam-smd"])
@pytest.mark.parametrize("labelled", [True, False])
def test_one_bag_is_one_group(make_workspace: MakeWorkspace, method: str, labelled: bool) -> None:
    species = "Robin" if labelled else None
    workspace = make_workspace(("only.wav", [[0, 1, 1]], species), ("none.wav", [[]], species))
    grouping = find_groups(workspace, GroupOptions(method)).grouping
    assert grouping.assignments["group"].tolist() == [-1, 0]
    assert grouping.parameters["k"] == 1
    assert grouping.metrics["silhouette"] is None
    assert len(grouping.groups["typical_syllables"][0]) >= 1


def test_without_syllables_there_is_nothing_to_group(make_workspace: MakeWorkspace) -> None:
    workspace = make_workspace(("a.wav", [[]], None), ("b.wav", [[]], None))
    with pytest.raises(BirdmodesError, match="no syllables to cluster"):
        find_groups(workspace, GroupOptions("bamic-avg", 2))


def test_more_groups_than_bags_are_refused_in_the_users_words(soundscapes: Workspace) -> None:
    with pytest.raises(BirdmodesError, match="--k 13: only 12 of 13 bags have syllables; ask for"):
        find_groups(soundscapes, GroupOptions("bamic-avg", 13))


def test_a_method_of_syllables_and_a_wrong_option_are_errors(soundscapes: Workspace) -> None:
    with pytest.raises(BirdmodesError, match="method sp does not group recordings"):
        find_groups(soundscapes, GroupOptions("sp", 2))
    with pytest.raises(BirdmodesError, match="n_init"):
        find_groups(soundscapes, GroupOptions("bamic-avg", 2, method_parameters={"n_init": 0}))


def test_an_answer_that_changes_with_the_seed_is_warned_of(
    soundscapes: Workspace, monkeypatch: pytest.MonkeyPatch, told_method: str
) -> None:
    from algorithms import METHODS

    class Chance(METHODS[told_method].load()):  # type: ignore[misc]
        def fit(self, bags: Bags) -> Chance:
            super().fit(bags)
            chance = np.random.default_rng(self.random_state).integers(0, 2, bags.n_bags)
            self.labels_ = np.where(bags.sizes > 0, chance, -1)
            return self

    monkeypatch.setattr(type(METHODS[told_method]), "load", lambda self: Chance)
    result = find_groups(soundscapes, GroupOptions(told_method, 2, stability_runs=5))
    assert "other seeds give other groups" in result.warnings[-1]
    assert "--k auto or another --method" in result.warnings[-1]


def blobs(k: int, n_bags: int, rng: np.random.Generator) -> Bags:
    """Bags of one syllable in k places far apart."""
    X = 100.0 * (np.arange(n_bags) % k) + rng.normal(0, 1, n_bags)
    return Bags(X[:, None], np.arange(n_bags), np.zeros((n_bags, 0), bool))


def by_place(bags: Bags, k: int, seed: int) -> Ints:
    """Group by place; more groups than places are cut at random, as many methods do."""
    place = ((bags.X[:, 0] + 50) // 100).astype(np.int64)
    places = np.unique(place)
    if k <= len(places):
        return np.minimum(np.searchsorted(places, place), k - 1)
    chance = np.random.default_rng(seed).integers(0, k, bags.n_bags)
    return np.where(place == places[0], len(places) + chance, place).astype(np.int64)


def test_the_largest_stable_number_of_groups_is_taken() -> None:
    bags = blobs(4, 80, np.random.default_rng(0))
    said: list[str] = []
    found = stable_count(bags, 0, by_place, said.append)
    assert (found.k, found.source, found.warnings) == (4, "auto", [])
    assert list(found.curve) == list(range(2, 11))
    assert all(found.curve[k] == 1.0 for k in (2, 3, 4))
    assert all(found.curve[k] < 0.4 for k in range(5, 11))
    assert said[0] == "40 samples of 64 bags, each grouped into 2 to 10: 360 groupings"
    assert said[1] == "2 groups: in other samples each is found again to 1.00 or more"
    assert stable_count(bags, 0, by_place, silent).curve == found.curve


def test_the_number_is_the_same_on_any_number_of_workers_and_progress_is_told(
    two_workers: int,
) -> None:
    bags = blobs(5, 16, np.random.default_rng(0))
    group = partial(_group_quietly, GroupOptions("kmeans-vote", method_parameters={"n_init": 1}))
    told: dict[int, list[tuple[int, int, str]]] = {1: [], 2: []}
    one, two = (
        stable_count(
            bags,
            0,
            group,
            silent,
            workers=workers,
            on_progress=lambda *at, workers=workers: told[workers].append(at),
        )
        for workers in (1, two_workers)
    )
    assert one == two
    assert 0 < one.curve[2] != one.curve[3] < 1
    for steps in told.values():
        assert [(done, total) for done, total, _ in steps] == [(n, 80) for n in range(1, 81)]
        assert {what for _, _, what in steps} == {"2 groups", "3 groups"}


def test_a_worker_that_dies_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "birdmodes.groups.counts.run_tasks", lambda do, tasks, workers: ((t, None) for t in tasks)
    )
    with pytest.raises(BirdmodesError, match=r"the process that made 2 groups died.*--workers"):
        stable_count(blobs(2, 10, np.random.default_rng(0)), 0, by_place, silent, workers=2)


def test_the_group_of_which_least_is_found_again_counts() -> None:
    # Ten bags, all in both samples: {0..5} and {6..9} against {0..3}, {4..9}. Jaccard indices are
    # 4/6 and 2/10 of the first group, 0 and 4/6 of the second.
    one, other = np.array([0] * 6 + [1] * 4), np.array([0] * 4 + [1] * 6)
    everything = np.arange(10)
    assert _found_again(everything, one, everything, other) == pytest.approx(4 / 6)
    # {0..2}, {3..5}, {6..9} against the same: 3/4 and 0; 1/6 and 2/7; 0 and 4/6
    three = np.array([0] * 3 + [1] * 3 + [2] * 4)
    assert _found_again(everything, three, everything, other) == pytest.approx(2 / 7)
    # Bags that only one sample has do not count.
    more, shifted = np.r_[one, 1, 1, 1], np.r_[1, 1, other]
    assert _found_again(np.arange(13), more, np.r_[-2, -1, everything], shifted) == pytest.approx(
        4 / 6
    )


def test_where_nothing_is_stable_the_best_is_taken_with_a_warning() -> None:
    bags = blobs(1, 60, np.random.default_rng(0))

    def by_chance(bags: Bags, k: int, seed: int) -> Ints:
        return np.random.default_rng(seed).integers(0, k, bags.n_bags)

    found = stable_count(bags, 1, by_chance, silent)
    assert found.curve[found.k] == max(found.curve.values())
    # Two halves drawn at random have a third of the bags in common.
    assert 0.2 < found.curve[2] < 0.4
    (warning,) = found.warnings
    assert warning.startswith(f"no number of groups is stable: of {found.k} groups most is found")


def test_a_single_group_does_not_pass_for_a_stable_one() -> None:
    bags = blobs(3, 40, np.random.default_rng(0))
    found = stable_count(bags, 0, lambda bags, k, seed: np.zeros(bags.n_bags, int), silent)
    assert set(found.curve.values()) == {0.0}


def test_the_number_is_given_a_default_or_found() -> None:
    bags = blobs(2, LEAST_BAGS, np.random.default_rng(0))
    # Eight bags in a subsample, four for each of two groups.
    assert list(count_groups(bags, "auto", 0, by_place, silent).curve) == [2]
    few = blobs(2, LEAST_BAGS - 1, np.random.default_rng(0))
    assert count_groups(bags, 3, 0, by_place, silent).short_name == "k3"
    assert count_groups(bags, None, 0, by_place, silent).k == 5
    assert count_groups(blobs(2, 4, np.random.default_rng(0)), None, 0, by_place, silent).k == 4
    assert count_groups(bags, "auto", 0, by_place, silent).short_name == "auto"
    with pytest.raises(BirdmodesError, match="--k auto needs at least 10 bags with syllables"):
        count_groups(few, "auto", 0, by_place, silent)
