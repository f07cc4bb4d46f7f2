from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from algorithms import Bags
from birdmodes.annotate.calibration import AnswerCalibration


def bags_of(label_sets: np.ndarray, bag: np.ndarray) -> Bags:
    return Bags(np.zeros((len(bag), 1)), bag, label_sets)


def test_answers_that_are_too_sure_are_toned_down_by_label_sets_alone() -> None:
    # the true probabilities are those of half the logarithms
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (4000, 4))
    true = softmax(logits, axis=1)
    species = np.array([rng.choice(4, p=row) for row in true])
    other = rng.integers(0, 4, 4000)
    label_sets = np.eye(4, dtype=bool)[species] | np.eye(4, dtype=bool)[other]
    bags = bags_of(label_sets, np.arange(4000))
    learned = AnswerCalibration.fit(softmax(2 * logits, axis=1), bags, of_syllables=True)
    # the other species explains some errors, so a little too sure is what label sets allow
    assert 0.45 < learned.power < 0.75
    exact = AnswerCalibration.fit(
        softmax(2 * logits, axis=1),
        bags_of(np.eye(4, dtype=bool)[species], np.arange(4000)),
        of_syllables=True,
    )
    assert exact.power == pytest.approx(0.5, abs=0.03)
    assert np.allclose(exact.posterior(softmax(2 * logits, axis=1)), true, atol=0.03)


def test_answers_are_never_made_surer() -> None:
    answer = np.array([[0.8, 0.2], [0.3, 0.7], [0.9, 0.1]])
    bags = bags_of(np.array([[1, 0], [0, 1], [1, 0]], bool), np.arange(3))
    assert AnswerCalibration.fit(answer, bags, of_syllables=True).power == pytest.approx(
        1, abs=0.01
    )


def test_background_takes_part_in_the_scaling() -> None:
    halves = AnswerCalibration(True, 0.5, 1.0, 0.0)
    found = halves.posterior(np.array([[0.64, 0.32], [1.0, 0.0], [0.0, 0.0]]))
    roots = np.sqrt([0.64, 0.32, 0.04])
    assert np.allclose(found, [roots[:2] / roots.sum(), [1, 0], [0, 0]])


def test_a_species_is_present_unless_no_syllable_is_of_it() -> None:
    # slope 1, intercept 0: odds of presence are s = -log((1 - 0.5)(1 - 0.2)) = 0.916291
    plain = AnswerCalibration(True, 1.0, 1.0, 0.0)
    posterior = np.array([[0.5, 0.1], [0.2, 0.1], [0.9, 0.0]])
    presence = plain.presence(posterior, np.array([0, 0, 2]), 3)
    assert presence[0, 0] == pytest.approx(0.916291 / 1.916291, abs=1e-6)
    assert presence[2, 0] == pytest.approx(2.302585 / 3.302585, abs=1e-6)
    assert presence[1].max() < 1e-5, "a bag without syllables"


def test_the_faintest_likeness_is_not_presence_where_species_differ_without_doubt() -> None:
    bag = np.repeat(np.arange(20), 5)
    species = np.arange(20) % 2
    answer = np.eye(2)[species[bag]]
    learned = AnswerCalibration.fit(
        answer, bags_of(np.eye(2, dtype=bool)[species], bag), of_syllables=True
    )
    faint = np.array([[0.02, 0.9]])
    presence = learned.presence(faint, np.array([0]), 1)[0]
    assert presence[0] < 0.5 < presence[1]


def test_scores_of_bags_come_to_mean_what_they_say() -> None:
    rng = np.random.default_rng(1)
    chance = rng.uniform(0.02, 0.98, (3000, 2))
    labels = rng.random((3000, 2)) < chance
    too_low = 1 / (1 + 3 * ((1 - chance) / chance) ** 2)
    learned = AnswerCalibration.fit(too_low, bags_of(labels, np.arange(3000)), of_syllables=False)
    found = learned.presence(learned.posterior(too_low), np.arange(3000), 3000)
    order = np.argsort(found, axis=None)
    assert (np.diff(chance.ravel()[order]) >= -1e-9).all(), "the order stays"
    for part in np.array_split(order, 5):
        assert found.ravel()[part].mean() == pytest.approx(labels.ravel()[part].mean(), abs=0.03)


def test_nothing_to_learn_from_changes_nothing() -> None:
    nothing = bags_of(np.zeros((2, 2), bool), np.array([0, 1]))
    learned = AnswerCalibration.fit(np.array([[1.0, 0.0], [0.0, 1.0]]), nothing, of_syllables=True)
    assert learned.power == 1.0
    assert learned.slope > 0


def test_species_never_heard_do_not_bend_the_curve() -> None:
    # bags of one syllable; the third species was never heard of, so it is missed every time
    rng = np.random.default_rng(2)
    species = rng.integers(0, 3, 300)
    answer = np.full((300, 3), 0.02)
    answer[np.arange(300), np.where(species == 2, rng.integers(0, 2, 300), species)] = 0.9
    answer[:, 2] = 0.0
    bags = bags_of(np.eye(3, dtype=bool)[species], np.arange(300))
    heard = np.tile([True, True, False], (300, 1))
    learned = AnswerCalibration.fit(answer, bags, of_syllables=True, learned=heard)
    clear = np.array([[0.9, 0.02, 0.0]])
    presence = learned.presence(clear, np.array([0]), 1)[0]
    # what counts is how often the species that can be found are there at such an answer
    there = (species < 2).mean()
    assert presence[0] == pytest.approx(there, abs=0.02)
    assert presence[1] < 0.05
    bent = AnswerCalibration.fit(answer, bags, of_syllables=True)
    assert bent.presence(clear, np.array([0]), 1)[0][1] > presence[1]


def test_where_no_species_was_heard_of_nothing_is_learned_of_the_power() -> None:
    answer = np.array([[0.0, 1.0], [1.0, 0.0]])
    bags = bags_of(np.eye(2, dtype=bool), np.arange(2))
    assert AnswerCalibration.fit(answer, bags, of_syllables=True).power == 1.0


def test_sounds_like_nothing_learned_from_decide_ties_only() -> None:
    plain = AnswerCalibration(True, 1.0, 1.0, 0.0)
    answer = np.array([[0.9, 0.0], [0.0, 0.2], [1.0, 0.0]])
    bag, like = np.array([0, 0, 1]), np.array([False, True, False])
    presence = plain.presence(answer, bag, 2, like)
    # odds 0.01 (1 - 0.1) = 0.009, and -log(0.8) = 0.22314; never above 0.01
    assert presence[0] == pytest.approx([0.009 / 1.009, 0.22314 / 1.22314], abs=1e-5)
    assert presence[1, 0] == pytest.approx(0.01 / 1.01, abs=1e-6)
    assert plain.presence(answer, bag, 2)[0, 0] > 0.6
