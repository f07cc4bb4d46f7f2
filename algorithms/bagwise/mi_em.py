"""MI-EM: a mixture model of whole bags."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from scipy.special import softmax

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.bagwise.mixtures.bag_mixture import (
    Content,
    Length,
    LengthModel,
    MixtureContent,
    MultinomialContent,
    Run,
    run_em,
)
from algorithms.bagwise.mixtures.concept_search import InstanceModel, find_concepts
from algorithms.bagwise.mixtures.mixture_em import kmeans_start, one_hot
from algorithms.base import BagClusterer
from algorithms.checks import (
    Seed,
    check_bagwise,
    check_choice,
    check_count,
    check_fitted,
    check_new_bags,
    check_number,
    check_seed,
    seed_of,
)
from algorithms.errors import ClusteringWarning
from algorithms.layout import SortedBags, sorted_bags
from algorithms.threads import one_thread

_KMEANS_STARTS = 20


class MIEM(BagClusterer):
    """Groups of bags that draw their instances from the same concepts in the same proportions.

    First the instances alone: a mixture of concepts (Gaussians, or multinomials for counts). Then
    the bags: a group has a share, a probability of each concept, and a distribution of the number
    of instances, all found by EM from k-means clusterings of the bags' proportions of concepts.

    What the paper's formulas say cannot be taken word for word. The probability of a bag in its
    Definition 4 is a product over the concepts of what does not depend on the group times what
    does not depend on the instance, so the content of a bag would not matter; its log likelihood
    is that of a posterior, which is 0; the concepts' probabilities do not sum to 1; lengths are
    divided by all bags instead of the group's. Here, p(i|k) being the density of instance i under
    concept k, P_kc the probability of concept k in group c, and csv_k(o) the expected number of
    instances of k in bag o:

    - ``likelihood="mixture"``: log Pr[o|c] = sum_i log sum_k P_kc p(i|k), the process that the
      paper describes;
    - ``likelihood="multinomial"``: log Pr[o|c] = sum_k csv_k(o) log P_kc, the process whose
      M-step is the paper's;
    - log likelihood: sum_o log sum_c W_c Pr[number of instances|c] Pr[o|c];
    - estimates are divided by what belongs to the group, and k-means sees csv(o) / |o|.

    Every step is the exact maximum among parameters that are nowhere below a small floor, so the
    log likelihood never falls.

    Bags without instances take no part, so that the groups do not depend on how many of them there
    are; their `responsibilities_` are what share and length say afterwards. The features' units do
    not matter to the Gaussian concepts, which scale them, and constant features have no effect.

    Parameters
    ----------
    n_clusters : int
        Number of groups.
    random_state : int or None
        Seed; None takes a new one every time.
    n_concepts : int or None
        Number of concepts. None tries 2 to 20 (at least 5 instances for each) and takes the one of
        least BIC.
    instance_model : {"auto", "diag", "full", "multinomial"}
        Gaussians with a variance per feature or full covariances, or multinomials for counts.
        "auto" takes "full" with 10 instances per feature and concept, else "diag".
    likelihood : {"mixture", "multinomial"}
        See above.
    length_model : {"binomial", "poisson", "none"}
        Distribution of the number of instances of a group's bags. The paper's binomial has as many
        draws as the longest bag of the fit has instances; new bags that are longer count as of
        that length.
    n_init : int
        Starts of EM for the bags; the one of largest likelihood is kept.
    n_init_concepts : int
        Starts of EM for the concepts.
    max_iter : int
        Largest number of EM steps from one start.
    tol : float
        A start has settled when a step gains less than this, in nats per bag.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Group of each bag; -1 for bags without instances.
    strength_ : ndarray, shape (n_bags,)
        Probability of that group, 1 / n_clusters to 1; nan for bags without instances.
    responsibilities_ : ndarray, shape (n_bags, n_clusters)
        Probability of every group.
    weights_ : ndarray, shape (n_clusters,)
        Share of each group.
    concept_profiles_ : ndarray, shape (n_clusters, n_concepts)
        Probability of each concept in each group.
    lengths_ : ndarray, shape (n_clusters,)
        Expected number of instances of a bag in each group: l_c times `longest_` in the paper.
    longest_ : int
        Number of instances of the longest bag, the paper's MAXLENGTH.
    concept_means_ : ndarray, shape (n_concepts, n_features)
        Mean of the instances of each concept, weighted by their probabilities of being of it.
    n_concepts_ : int
        Number of concepts; less than asked for when not so many instances differ.
    instance_model_ : {"diag", "full", "multinomial"}
        The model that was used.
    bic_ : dict of int to float
        BIC of each number of concepts tried; empty with `n_concepts` given.
    log_likelihoods_ : ndarray, shape (n_steps,)
        Log likelihood of the bags at every step of the start that was kept; it never falls.
    n_iter_ : int
        Number of these steps.
    run_log_likelihoods_ : ndarray, shape (n_init,)
        Log likelihood that each start reached.

    References
    ----------
    Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006:
    Definition 4 for the probability of a bag, and the steps of EM that follow it.
    """

    strength_: FloatArray
    responsibilities_: FloatArray
    weights_: FloatArray
    concept_profiles_: FloatArray
    lengths_: FloatArray
    longest_: int
    concept_means_: FloatArray
    n_concepts_: int
    instance_model_: InstanceModel
    bic_: dict[int, float]
    log_likelihoods_: FloatArray
    n_iter_: int
    run_log_likelihoods_: FloatArray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        n_concepts: int | None = None,
        instance_model: Literal["auto", "diag", "full", "multinomial"] = "auto",
        likelihood: Literal["mixture", "multinomial"] = "mixture",
        length_model: LengthModel = "binomial",
        n_init: int = 10,
        n_init_concepts: int = 5,
        max_iter: int = 200,
        tol: float = 1e-4,
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_concepts = n_concepts
        self.instance_model = instance_model
        self.likelihood = likelihood
        self.length_model = length_model
        self.n_init = n_init
        self.n_init_concepts = n_init_concepts
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Group `bags`.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.
        """
        self._accept(bags)
        self._check_parameters()
        check_bagwise(bags, self.n_clusters)
        concept_seed, group_seed = np.random.SeedSequence(seed_of(self.random_state)).spawn(2)
        with one_thread():  # sums over several threads differ in the last digits
            self._concepts = find_concepts(
                bags.X,
                model=self.instance_model,
                n_concepts=self.n_concepts,
                seeds=concept_seed.generate_state(self.n_init_concepts).tolist(),
            )
            sorted_ = sorted_bags(bags)
            of_concept, content = self._content(sorted_)
            run = self._best_run(
                content, sorted_.sizes, group_seed.generate_state(self.n_init).tolist()
            )
        self._groups = run.groups
        self._keep(sorted_, run)
        self.concept_means_ = _weighted_means(sorted_.X, of_concept)
        self._warn_of_empty_groups()
        return self

    def predict(self, bags: Bags) -> IntArray:
        """Most probable group of each of new bags, -1 for those without instances.

        Raises
        ------
        ClusteringError
            Before :meth:`fit`, or when the number of features differs.
        """
        check_fitted(self)
        filled = check_new_bags(bags, self.n_features_in_)
        labels = np.full(bags.n_bags, -1, dtype=np.int64)
        if len(filled):
            sorted_ = sorted_bags(bags)
            with one_thread():  # sums over several threads differ in the last digits
                joint = self._groups.joint(self._content(sorted_)[1], sorted_.sizes)
            labels[sorted_.bag_numbers] = joint.argmax(axis=1)
        return labels

    def _check_parameters(self) -> None:
        check_seed(self.random_state)
        if self.n_concepts is not None:
            check_count("n_concepts", self.n_concepts)
        check_choice("instance_model", self.instance_model, ("auto", "diag", "full", "multinomial"))
        check_choice("likelihood", self.likelihood, ("mixture", "multinomial"))
        check_choice("length_model", self.length_model, ("binomial", "poisson", "none"))
        for name in ("n_init", "n_init_concepts", "max_iter"):
            check_count(name, getattr(self, name))
        check_number("tol", self.tol)

    def _content(self, sorted_: SortedBags) -> tuple[FloatArray, Content]:
        """Probability of every concept for every instance, and what EM needs of the instances."""
        mixture = self._concepts.mixture
        log_densities = mixture.log_densities(sorted_.X)
        of_concept = softmax(log_densities + np.log(mixture.weights), axis=1)
        counts = np.add.reduceat(of_concept, sorted_.starts, axis=0)
        if self.likelihood == "multinomial":
            return of_concept, MultinomialContent(counts)
        content = MixtureContent.of(log_densities, counts, sorted_.starts, sorted_.sizes)
        return of_concept, content

    def _best_run(self, content: Content, sizes: IntArray, seeds: list[int]) -> Run:
        """Run EM from k-means clusterings, the first of them a good one, the others various."""
        length = Length(self.length_model, int(sizes.max()))
        summaries = content.counts / sizes[:, None]
        runs = []
        for number, seed in enumerate(seeds):
            labels = kmeans_start(
                summaries, self.n_clusters, seed, n_init=1 if number else _KMEANS_STARTS
            )
            start = one_hot(labels, self.n_clusters)
            runs.append(run_em(content, sizes, length, start, self.tol, self.max_iter))
        self.run_log_likelihoods_ = np.array([run.trace[-1] for run in runs])
        return runs[int(self.run_log_likelihoods_.argmax())]

    def _keep(self, sorted_: SortedBags, run: Run) -> None:
        """Set the attributes that tell what was found."""
        groups = run.groups
        self.n_concepts_ = self._concepts.n_concepts
        self.instance_model_ = self._concepts.model
        self.bic_ = self._concepts.bic
        self.weights_, self.concept_profiles_ = groups.weights, groups.profiles
        self.lengths_, self.longest_ = groups.lengths, groups.length.longest
        self.log_likelihoods_, self.n_iter_ = np.array(run.trace), len(run.trace)
        self.labels_ = sorted_.to_bags(run.share.argmax(axis=1).astype(np.int64), -1)
        self.strength_ = sorted_.to_bags(run.share.max(axis=1), np.nan)
        no_instances = softmax(groups.without_content(np.zeros(1, dtype=np.int64)), axis=1)
        self.responsibilities_ = np.repeat(no_instances, sorted_.n_bags, axis=0)
        self.responsibilities_[sorted_.bag_numbers] = run.share

    def _warn_of_empty_groups(self) -> None:
        n_found = len(np.unique(self.labels_[self.labels_ >= 0]))
        if n_found < self.n_clusters:
            warnings.warn(
                f"only {n_found} of {self.n_clusters} groups have bags: use fewer groups",
                ClusteringWarning,
                stacklevel=3,
            )


def _weighted_means(X: FloatArray, weights: FloatArray) -> FloatArray:
    """Mean of the rows of `X` under each column of `weights`."""
    totals = np.maximum(weights.sum(axis=0), np.finfo(np.float64).tiny)
    means: FloatArray = weights.T @ X / totals[:, None]
    return means
