from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from algorithms import Bags
from algorithms.folds import choose_bags
from birdmodes.annotate.cross_validation import cross_validate
from birdmodes.annotate.evaluate import evaluate_workspace, write_evaluation
from birdmodes.annotate.material import Material, read_material
from birdmodes.annotate.methods import ANNOTATORS, Annotator
from birdmodes.errors import BirdmodesError, ParameterError, TruthError
from birdmodes.modes.features.own import Briggs38
from birdmodes.modes.features.space import FeatureSpace

SPECIES = ["Robin", "Wren"]


def recordings(n: int = 12) -> list[tuple]:
    """Recordings of a Robin (kind 0), a Wren (kind 1), or both."""
    company = [([0, 0, 0], "Robin"), ([1, 1], "Wren"), ([0, 1, 1], "Robin;Wren")]
    return [
        (f"{number:02}.wav", [company[number % 3][0]], company[number % 3][1])
        for number in range(n)
    ]


class Spy(Annotator):
    """Remembers what it is given, and says that every syllable is of the first species."""

    of_syllables = True
    seen: list[tuple[Bags, Bags]]

    def fit(self, bags: Bags) -> Spy:
        self.training = bags
        return self

    def answer(self, bags: Bags) -> np.ndarray:
        type(self).seen.append((self.training, bags))
        return np.eye(bags.n_classes)[np.zeros(bags.n_instances, int)]

    def _learn(self, bags: Bags) -> None: ...

    def _answer(self, bags: Bags) -> np.ndarray: ...


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> type[Spy]:
    Spy.seen = []
    monkeypatch.setitem(ANNOTATORS, "spy", Spy)
    return Spy


def material_of(group: list[int], labelled: list[bool]) -> Material:
    n_bags = len(group)
    labels = np.ones((n_bags, 2), bool) & np.array(labelled)[:, None]
    bag = np.repeat(np.arange(n_bags), 2)
    X = np.repeat(np.array(group, float), 2)[:, None]  # the feature tells the recording
    bags = Bags(X, bag, labels, labelled, SPECIES)
    names = np.array([f"{number}" for number in group], dtype=object)
    space = FeatureSpace((Briggs38(),))
    return Material(bags, np.array(group), names, names, pd.DataFrame(), by_clip=True, space=space)


def test_no_clip_of_a_recording_is_learned_from_when_another_is_annotated(spy) -> None:
    group = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5]
    material = material_of(group, [True] * 8 + [False, True])
    left_out = cross_validate(material, "spy", 3, 0)
    assert len(spy.seen) == 3
    for training, left in spy.seen:
        assert not set(training.X[:, 0]) & set(left.X[:, 0])
        assert 4.0 in training.X, "unlabelled recordings are always there to learn from"
    annotated = [row for _, left in spy.seen for row in left.X[:, 0]]
    assert sorted(annotated) == sorted(np.repeat([0, 0, 0, 1, 1, 2, 3, 3, 5], 2))
    assert left_out.answer.shape == (18, 2)
    assert left_out.bags.n_bags == 9


def test_answers_come_back_in_the_order_of_the_bags(monkeypatch) -> None:
    class Echo(Spy):
        def answer(self, bags: Bags) -> np.ndarray:
            return np.column_stack([bags.X[:, 0] / 10, np.zeros(bags.n_instances)])

    monkeypatch.setitem(ANNOTATORS, "echo", Echo)
    material = material_of([3, 1, 2, 0, 5, 4], [True, True, False, True, True, True])
    left_out = cross_validate(material, "echo", 5, 0)
    assert left_out.answer[:, 0] * 10 == pytest.approx(np.repeat([3, 1, 0, 5, 4], 2))


def test_it_is_known_which_species_each_round_had_heard_of(spy) -> None:
    material = material_of([0, 1, 2, 3], [True] * 4)
    # the Wren is in the last recording only
    labels = np.array([[1, 0], [1, 0], [1, 0], [1, 1]], bool)
    bags = Bags(material.bags.X, material.bags.bag, labels, [True] * 4, SPECIES)
    left_out = cross_validate(replace(material, bags=bags), "spy", 4, 0)
    assert left_out.learned.tolist() == [[True, True]] * 3 + [[True, False]]


def test_distances_are_to_syllables_of_other_recordings(spy) -> None:
    # features 0, 0, 1, 1, 5, 5: each recording's own syllables do not count
    left_out = cross_validate(material_of([0, 1, 5], [True] * 3), "spy", 3, 0)
    deviation = [np.std([1, 5]), np.std([0, 5]), np.std([0, 1])]
    expected = np.repeat([1 / deviation[0], 1 / deviation[1], 4 / deviation[2]], 2)
    assert left_out.distance == pytest.approx(expected)
    like = left_out.calibrated(0.0).likeness
    # each against the four of the other rounds: 0.5, 0.4 and 8
    assert like == pytest.approx([3 / 5, 3 / 5, 1.0, 1.0, 1 / 5, 1 / 5])
    # the last recording's are then no evidence of the species that they are said to be of
    lax, strict = (left_out.calibrated(limit).presence[:, 0] for limit in (0.0, 0.3))
    assert strict[2] < lax[2]


def test_the_number_of_folds_must_make_sense(spy) -> None:
    with pytest.raises(ParameterError, match="folds must be 2 or more"):
        cross_validate(material_of([0, 1], [True, True]), "spy", 1, 0)
    left_out = cross_validate(material_of([0, 1, 1], [True] * 3), "spy", 10, 0)
    assert left_out.fold.max() == 1


def test_chosen_bags_are_numbered_anew() -> None:
    bags = Bags(np.arange(5.0)[:, None], [0, 2, 1, 2, 0], np.eye(3, dtype=bool))
    chosen = choose_bags(bags, np.array([True, False, True]))
    assert chosen.X[:, 0].tolist() == [0, 1, 3, 4]
    assert chosen.bag.tolist() == [0, 1, 1, 0]
    assert (chosen.labels == np.eye(3, dtype=bool)[[0, 2]]).all()


@pytest.mark.parametrize("method", list(ANNOTATORS))
def test_species_that_differ_are_found(make_workspace, method: str) -> None:
    rounds = []
    result = evaluate_workspace(
        make_workspace(*recordings(36)), method, n_folds=4, on_fold=lambda *at: rounds.append(at)
    )
    assert result.metrics["one_error"] == 0.0
    assert result.metrics["average_precision"] == 1.0
    assert result.species["species"].tolist() == SPECIES
    assert result.species["bags"].tolist() == [24, 24]
    assert (result.parameters["folds"], result.parameters["recordings"]) == (4, 36)
    assert rounds == [(1, 4), (2, 4), (3, 4), (4, 4)]
    if ANNOTATORS[method].of_syllables:
        assert result.syllable_metrics["possible"] == 1.0
        assert result.metrics["micro_f1"] > 0.9
    else:
        assert result.syllable_metrics == {}


def test_the_same_seed_gives_the_same_result(make_workspace) -> None:
    workspace = make_workspace(*recordings())
    results = [evaluate_workspace(workspace, "ldc", n_folds=3).content() for _ in range(2)]
    assert results[0] == results[1]


def test_truth_scores_the_syllables(make_workspace, tmp_path) -> None:
    workspace = make_workspace(*recordings())
    rows = ["recording,start_s,end_s,low_hz,high_hz,species,mode"]
    # of the first recording two of three syllables, one under a wrong name
    rows += ["00.wav,0,0.2,1000,2000,Robin,", "00.wav,0.5,0.7,1000,2000,Wren,"]
    rows += ["01.wav,0,0.2,1000,2000,Dunnock,", "01.wav,0.5,0.7,1000,2000,Wren,"]
    (tmp_path / "truth.csv").write_text("\n".join(rows) + "\n")
    found = evaluate_workspace(workspace, "ldc", truth_file=tmp_path / "truth.csv")
    assert found.syllable_metrics["truth_syllables"] == 3
    assert found.syllable_metrics["truth_accuracy"] == pytest.approx(2 / 3, abs=1e-6)
    assert found.syllable_metrics["truth_noise"] == 28
    assert found.reliability["truth"]["count"].sum() == 3
    with pytest.raises(ParameterError, match="--truth is about syllables, and citation-knn"):
        evaluate_workspace(workspace, "citation-knn", truth_file=tmp_path / "truth.csv")
    (tmp_path / "truth.csv").write_text(rows[0] + "\nother.wav,0,1,,,Robin,\n")
    with pytest.raises(TruthError, match="none of its 1 recordings"):
        evaluate_workspace(workspace, "ldc", truth_file=tmp_path / "truth.csv")


def test_too_little_to_learn_from_is_said_in_one_line(make_workspace) -> None:
    for given in (
        [("a.wav", [[0, 0]], "Robin"), ("b.wav", [[1]], None)],
        [("a.wav", [[0], [0]], "Robin"), ("b.wav", [[]], "Wren")],
        [("a.wav", [[0]], ""), ("b.wav", [[1]], "")],
    ):
        workspace = make_workspace(*given)
        with pytest.raises(BirdmodesError, match="two or more, with species") as caught:
            read_material(workspace, "ldc")
        assert "\n" not in str(caught.value)
        for name, *_ in given:
            workspace.forget(name)
    with pytest.raises(BirdmodesError, match="no annotation method 'knn'; there are: ldc, mimlca"):
        evaluate_workspace(make_workspace(*recordings()), "knn")


def test_species_of_one_recording_are_named(make_workspace) -> None:
    workspace = make_workspace(*recordings(), ("z.wav", [[3], [3]], "Dunnock"))
    result = evaluate_workspace(workspace, "ldc", n_folds=3)
    assert any("in one labelled recording only: Dunnock (1 sp" in text for text in result.warnings)
    assert result.species.set_index("species").loc["Dunnock", "recall"] == 0


def test_bags_without_syllables_and_lists_of_no_species_are_legal(make_workspace) -> None:
    workspace = make_workspace(
        *recordings(), ("x.wav", [[]], "Robin"), ("y.wav", [[4, 4]], ""), ("z.wav", [[0, 1]], None)
    )
    for method in ANNOTATORS:
        result = evaluate_workspace(workspace, method, n_folds=5)
        assert (result.parameters["bags"], result.parameters["unlabelled_bags"]) == (14, 1)


def test_an_evaluation_is_kept(make_workspace) -> None:
    workspace = make_workspace(*recordings())
    path = write_evaluation(workspace, evaluate_workspace(workspace, "ldc", n_folds=2), "mine")
    assert path == workspace.folder / "evaluations" / "mine.json"
    table = pd.read_csv(path.with_suffix(".csv"))
    assert table["species"].tolist() == SPECIES
    with pytest.raises(BirdmodesError, match="evaluation name"):
        write_evaluation(workspace, evaluate_workspace(workspace, "ldc", n_folds=2), "../x")


def test_bags_are_clips_where_lists_are_of_clips(make_workspace) -> None:
    assert read_material(make_workspace(*recordings()), "ldc").by_clip
    long = ("long.wav", [[0], [1]], "Robin;Wren", "recording")
    assert not read_material(make_workspace(long), "ldc").by_clip
