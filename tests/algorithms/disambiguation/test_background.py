"""Where background is believed."""

from __future__ import annotations

import numpy as np

from algorithms.disambiguation.background import rarity_of_classes

NOT_WEAK, HALF_WEAK, WEAK = 0.3, 0.2, 0.1


def test_a_class_is_rare_by_the_number_of_its_bags():
    rarity = rarity_of_classes(np.array([0, 20, 60, 500]), 600, np.full(4, WEAK))
    np.testing.assert_allclose(rarity, [1.0, 1.0, 0.0, 0.0], atol=1e-12)
    # 20 * sqrt(3) is half way from 20 to 60, by factors
    np.testing.assert_allclose(rarity_of_classes(np.array([35]), 600, np.ones(1)), 0.49, atol=0.01)


def test_of_many_bags_a_weak_class_is_rare_by_its_part():
    bags = np.array([200, 600, 2000, 200, 200])  # of 6,000: as 20, 60 and 200 of 600
    reach = np.array([WEAK, WEAK, WEAK, HALF_WEAK, NOT_WEAK])
    rarity = rarity_of_classes(bags, 6000, reach)
    np.testing.assert_allclose(rarity, [1.0, 0.0, 0.0, 0.5, 0.0], atol=1e-12)


def test_few_bags_stay_rare_however_well_they_are_predicted():
    assert rarity_of_classes(np.array([20]), 6000, np.array([0.9])) == 1.0
