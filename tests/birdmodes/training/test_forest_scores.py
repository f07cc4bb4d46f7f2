from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score, roc_curve

from birdmodes.training.scores import Counts, cross_validated_f1


def cells(n: int, seed: int = 0, shift: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities on the steps that are counted, so that nothing is rounded."""
    rng = np.random.default_rng(seed)
    sound = rng.random(n) < 0.2
    level = (rng.beta(2, 3, n) + shift * sound).clip(0, 1)
    return (np.round(100 * level) / 100 + 1e-5).astype(np.float32), sound


def test_scores_are_those_of_scikit_learn() -> None:
    probability, sound = cells(5000)
    counts = Counts.of(probability, sound)
    assert counts.auc() == pytest.approx(roc_auc_score(sound, probability))
    fpr, tpr, _ = roc_curve(sound, probability)
    assert counts.true_positive_rate(0.086) == pytest.approx(np.interp(0.086, fpr, tpr))
    found = probability >= counts.best_threshold()
    best = max(f1_score(sound, probability >= at) for at in np.unique(probability))
    assert f1_score(sound, found) == pytest.approx(best)


def test_counts_add_up() -> None:
    whole, part, rest = cells(900), cells(900)[0][:300], cells(900)[1]
    added = Counts.of(part, rest[:300]) + Counts.of(whole[0][300:], rest[300:])
    np.testing.assert_array_equal(added.sound, Counts.of(*whole).sound)
    np.testing.assert_array_equal(added.silent, Counts.of(*whole).silent)


def test_certain_cells_are_counted_too() -> None:
    counts = Counts.of(np.array([0, 1], np.float32), np.array([False, True]))
    assert counts.auc() == 1.0
    assert counts.silent[0] == counts.sound[-1] == 1


def test_no_sound_has_no_auc() -> None:
    assert np.isnan(Counts.of(np.zeros(3, np.float32), np.zeros(3, bool)).auc())


def test_a_fold_does_not_choose_its_own_threshold() -> None:
    def fold(sound_at: float, silent_at: float) -> Counts:
        probability = np.array([sound_at] * 10 + [silent_at] * 10, dtype=np.float32)
        return Counts.of(probability, np.arange(20) < 10)

    # Each is told apart without fault at its own threshold, but at the other's, either
    # everything of it is found (F1 2/3) or nothing.
    loud, quiet = fold(0.9005, 0.5005), fold(0.3005, 0.1005)
    assert cross_validated_f1([loud, loud]) == 1.0
    assert cross_validated_f1([loud, quiet]) == pytest.approx(2 * 10 / (10 + 10 + 20))
