"""The methods that annotate: what they learn, and what they say of bags that are new to them."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from algorithms.bags import Bags, FloatArray
from algorithms.base import ClusteringError, ClusteringWarning
from algorithms.preprocessing.standardizer import Standardizer
from algorithms.threads import one_thread
from birdmodes.errors import BirdmodesError, ParameterError

MOST_NEIGHBOURS = 20
"""References and citers of citation-knn, as published; fewer where there are few bags."""


class Annotator(ABC):
    """Learns from bags with label sets and tells the species of others.

    Features may be in any units; each method standardises them as those it has learned from.

    Parameters
    ----------
    seed : int
        Same seed, same result.
    blocks : sequence of slice
        Features that keep their proportions, see `algorithms.preprocessing.Standardizer`.
    """

    of_syllables: ClassVar[bool]
    """Whether the answer is about syllables, or about whole bags."""

    has_background: ClassVar[bool] = False
    """Whether a syllable may be of no species."""

    def __init__(self, seed: int = 0, blocks: Sequence[slice] = ()) -> None:
        self.seed = seed
        self.blocks = tuple(blocks)

    def fit(self, bags: Bags) -> Self:
        """Learn.

        Raises
        ------
        BirdmodesError
            If the method refuses.
        """
        self._scale = Standardizer(blocks=self.blocks).fit(bags.X)
        try:
            # Warnings are about clusterings; what matters here is told from the bags.
            with warnings.catch_warnings(), one_thread():
                warnings.simplefilter("ignore", ClusteringWarning)
                self._learn(self._standardised(bags))
        except ClusteringError as error:
            raise BirdmodesError(str(error)) from error
        return self

    def answer(self, bags: Bags) -> FloatArray:
        """Tell the species of new bags; their labels play no part.

        Returns
        -------
        ndarray, shape (n_instances, n_classes) or (n_bags, n_classes)
            Of syllables the probability of each species, less than 1 in all where they may be
            background; of bags a score from 0 to 1. See `Annotator.of_syllables`.
        """
        # One thread: sums split over several differ in their last bits.
        with one_thread():
            return self._answer(self._standardised(bags))

    def _standardised(self, bags: Bags) -> Bags:
        X = self._scale.transform(bags.X)
        return Bags(X, bags.bag, bags.labels, bags.labelled, bags.class_names, weights=bags.weights)

    @abstractmethod
    def _learn(self, bags: Bags) -> None:
        """Learn from standardised bags."""

    @abstractmethod
    def _answer(self, bags: Bags) -> FloatArray:
        """Answer for standardised bags."""


class LDCAnnotator(Annotator):
    """The label disambiguator of ldc, with background; see `algorithms.disambiguation`.

    A syllable that is like nothing learned from, by ldc's own limit, is background.
    """

    of_syllables = True
    has_background = True

    def _learn(self, bags: Bags) -> None:
        from algorithms.disambiguation.disambiguator import LabelDisambiguator

        self._model = LabelDisambiguator(random_state=self.seed, background="cautious").fit(bags)

    def _answer(self, bags: Bags) -> FloatArray:
        from algorithms.spectral.neighbourhood import NOVELTY_AFFINITY

        posterior = self._model.predict_posterior(bags.X)
        kernel = self._model.kernel_
        if kernel is not None:
            posterior[kernel.strongest(bags.X) < NOVELTY_AFFINITY] = 0.0
        return posterior


class MIMLCAAnnotator(Annotator):
    """The learned metric of mimlca: normal classes of one shape in its space."""

    of_syllables = True

    def _learn(self, bags: Bags) -> None:
        from algorithms.metric.mimlca import MIMLCA

        # Birds sing more than one syllable in a clip.
        self._model = MIMLCA(random_state=self.seed, max_per_label=None).fit(bags)

    def _answer(self, bags: Bags) -> FloatArray:
        return self._model.class_probabilities(bags.X)


class CitationKNNAnnotator(Annotator):
    """The bags nearest to a new one, and those that it is near to; whole bags only.

    Minimal Hausdorff distance of the standardised features; as many references and as many citers
    as the square root of the number of bags learned from, 20 at most.
    """

    of_syllables = False

    def _learn(self, bags: Bags) -> None:
        from algorithms.metric.citation_knn import CitationKNN

        n_bags = int((bags.labelled & (bags.sizes > 0)).sum())
        n_neighbours = min(MOST_NEIGHBOURS, max(1, round(np.sqrt(n_bags))))
        self._model = CitationKNN(n_references=n_neighbours, n_citers=n_neighbours).fit(bags)

    def _answer(self, bags: Bags) -> FloatArray:
        return self._model.vote_share(bags)


ANNOTATORS: dict[str, type[Annotator]] = {
    "ldc": LDCAnnotator,
    "mimlca": MIMLCAAnnotator,
    "citation-knn": CitationKNNAnnotator,
}
"""The methods by name."""


def annotator_class(method: str) -> type[Annotator]:
    """Find a method.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    if method not in ANNOTATORS:
        raise ParameterError(f"no annotation method {method!r}; there are: {', '.join(ANNOTATORS)}")
    return ANNOTATORS[method]
