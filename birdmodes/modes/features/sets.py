"""The table of feature sets, and what is used where nothing is said."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.errors import did_you_mean
from birdmodes.errors import FeatureError
from birdmodes.modes.features.base import FeatureSet
from birdmodes.modes.features.embeddings import Embeddings
from birdmodes.modes.features.own import Briggs38, Learned, Mel, Modulation, Rhythm

FEATURE_SETS: dict[str, type[FeatureSet]] = {
    entry.name: entry for entry in (Briggs38, Mel, Modulation, Learned, Rhythm, Embeddings)
}
"""Feature sets by name."""

PUBLISHED = (Briggs38.name,)
"""What the methods of the literature were made for."""

BEST = (Briggs38.name, Mel.name, Modulation.name, Learned.name, Rhythm.name)
"""What does best on field recordings; docs/features.md has the figures."""

_WITH_BEST = ("ldc",)


def default_features(method: str) -> tuple[str, ...]:
    """Feature sets that a method gets where none are named.

    Parameters
    ----------
    method : str
        A key of `algorithms.METHODS`, or of the methods that annotate.
    """
    return BEST if method in _WITH_BEST else PUBLISHED


def short_name(features: Sequence[str] | str | None, method: str) -> str:
    """Part of a clustering's name that tells its features; empty for the method's own."""
    chosen = parse_features(features)
    if chosen is None or chosen == default_features(method):
        return ""
    return "".join(f"-{name.partition(':')[0]}" for name in chosen)


def parse_features(texts: Sequence[str] | str | None) -> tuple[str, ...] | None:
    """Read values of ``--features``.

    Parameters
    ----------
    texts : sequence of str, str or None
        Each has names of sets with commas between, or is ``table:FILE`` as a whole.

    Returns
    -------
    tuple of str or None
        Names in the order of `FEATURE_SETS`, tables last; None if nothing was named.

    Raises
    ------
    FeatureError
        If there is no such set, or one is named twice.
    """
    if not texts:
        return None
    texts = [texts] if isinstance(texts, str) else texts
    tables = [text.strip() for text in texts if text.strip().startswith(f"{Embeddings.name}:")]
    listed = [text for text in texts if text.strip() not in tables]
    names = [name.strip() for text in listed for name in text.split(",")]
    tables += [name for name in names if name.startswith(f"{Embeddings.name}:")]
    names = [name for name in names if name not in tables]
    chosen = [*names, *tables]
    for name in chosen:
        check_name(name)
    double = sorted({name for name in chosen if chosen.count(name) > 1})
    if double:
        raise FeatureError(f"--features: {double[0]} is named twice")
    if len(tables) > 1:
        raise FeatureError("--features: only one table can be used; join them by their rows")
    return (*(name for name in FEATURE_SETS if name in names), *tables)


def check_name(text: str) -> type[FeatureSet]:
    """Find the set that is meant by a name, or by ``table:FILE``.

    Raises
    ------
    FeatureError
        If there is none.
    """
    name, _, argument = text.partition(":")
    if name == Embeddings.name and not argument:
        raise FeatureError(
            "--features table: say which file, as in --features mel,table:embeddings.parquet"
        )
    if name not in FEATURE_SETS or (argument and name != Embeddings.name):
        known = ", ".join([*(n for n in FEATURE_SETS if n != Embeddings.name), "table:FILE"])
        raise FeatureError(
            f"no feature set {text!r}{did_you_mean(text, list(FEATURE_SETS))}; there are: {known}"
        )
    return FEATURE_SETS[name]
