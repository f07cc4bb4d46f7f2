"""One word for how sure the name of a mode is, with its reasons.

The thresholds are bound to how often names are right: of the syllables of NIPS4B that touch tags of
one class, in modes that `cluster --k 122` calls sure, at least nine in ten should be of that
species; of the likely ones seven in ten. They were chosen on one random half of the recordings; on
all, 92 % and 74 % are right, of the guesses 48 % (``benchmarks/sure_names.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """What a word asks for.

    Attributes
    ----------
    word : str
        The word.
    confidence : float
        Mean confidence of the syllables, at least.
    p_value : float
        Chance that sound and species meet as often as they do, at most.
    recordings : int
        Recordings with the sound, at least.
    elsewhere : float
        Mean confidence, at least, where names come from other recordings: it is calibrated on
        recordings that were left out, so that as many are right.
    """

    word: str
    confidence: float
    p_value: float
    recordings: int
    elsewhere: float


LEVELS = (
    Level("sure", confidence=0.8, p_value=0.01, recordings=3, elsewhere=0.9),
    Level("likely", confidence=0.5, p_value=0.05, recordings=2, elsewhere=0.7),
)
"""The first that fits; below the last a name is a guess. The one table of thresholds."""

GUESS = "a guess"

_ONE_RECORDING = "All are of one recording: it may be one bird, or a noise of that place."

WORDS = (GUESS, *(level.word for level in reversed(LEVELS)))
"""All words, least sure first."""


@dataclass(frozen=True)
class Sureness:
    """How sure the name of a mode is.

    Attributes
    ----------
    word : str
        One of `WORDS`.
    reasons : tuple of str
        Sentences, what speaks for and against it.
    """

    word: str
    reasons: tuple[str, ...]

    @property
    def level(self) -> int:
        """1 (a guess) to 3 (sure)."""
        return WORDS.index(self.word) + 1


@dataclass(frozen=True)
class Evidence:
    """What is known of a mode's name.

    Attributes
    ----------
    species : str
        The name.
    confidence, p_value : float or None
        Of the mode; None where not defined.
    recordings : int
        With syllables of the mode.
    listing_with, listing : int
        Recordings that list the species: with the sound, and all.
    others_with, others : int
        The same of the recordings whose lists lack the species.
    rival : str
        Another species that is listed where the sound is, or empty.
    rival_with : int
        How many of the `listing_with` recordings list it.
    twin : str
        Another species that is listed for the same recordings, all of them and no others; or empty.
    named_by_person : bool
        Whether somebody gave the whole mode its species.
    """

    species: str
    confidence: float | None
    p_value: float | None
    recordings: int
    listing_with: int
    listing: int
    others_with: int
    others: int
    rival: str = ""
    rival_with: int = 0
    twin: str = ""
    named_by_person: bool = False


def how_sure(evidence: Evidence) -> Sureness:
    """Say how sure the name of a mode is.

    Parameters
    ----------
    evidence : Evidence
        What is known of it.
    """
    if evidence.named_by_person:
        return Sureness("sure", ("Somebody has listened to it and said so.", *_reasons(evidence)))
    confidence = evidence.confidence if evidence.confidence is not None else 0.0
    # Where it is not known how often chance would do it, chance cannot be ruled out.
    p_value = evidence.p_value if evidence.p_value is not None else 1.0
    fitting = (
        level.word
        for level in LEVELS
        if not evidence.twin  # whatever a method says, lists cannot tell the two
        and confidence >= level.confidence
        and p_value <= level.p_value
        and evidence.recordings >= level.recordings
    )
    word = next(fitting, GUESS)
    return Sureness(word, (*_reasons(evidence), *_lacks(evidence, word)))


def how_sure_elsewhere(confidence: float | None, recordings: int) -> Sureness:
    """Say how sure the name of a mode is that comes from other recordings, whatever is listed.

    Parameters
    ----------
    confidence : float or None
        Of the mode, calibrated on recordings that were left out; None where not defined.
    recordings : int
        With syllables of the mode.
    """
    right = confidence if confidence is not None else 0.0
    word = next((level.word for level in LEVELS if right >= level.elsewhere), GUESS)
    reasons = [
        "The name comes from other recordings. Of those, left out in turn, about "
        f"{math.floor(100 * right)} in 100 syllables with such scores came out right."
    ]
    return Sureness(word, (*reasons, *([_ONE_RECORDING] if recordings == 1 else [])))


def _lacks(found: Evidence, word: str) -> list[str]:
    """What the next better word asks for, as far as no other reason says it."""
    number = WORDS.index(word) + 1
    if number == len(WORDS) or found.twin:
        return []
    better = next(level for level in LEVELS if level.word == WORDS[number])
    lacking = []
    if found.confidence is not None and found.confidence < better.confidence:
        below = math.floor(100 * found.confidence) / 100  # 0.798 is not yet 0.8
        lacking.append(f"Its confidence is {below:g}: {better.word} takes {better.confidence:g}.")
    if 1 < found.recordings < better.recordings:
        lacking.append(
            f"It is in {found.recordings} recordings: {better.word} takes {better.recordings}."
        )
    return lacking


def _reasons(found: Evidence) -> list[str]:
    reasons = []
    if found.listing:
        where = _share(found.listing_with, found.listing, found.species)
        reasons.append(f"In {where}{_others(found.others_with, found.others)}.")
    if found.p_value is not None:
        reasons.append(_chance(found.p_value))
    if found.recordings == 1:
        reasons.append(_ONE_RECORDING)
    if found.twin:
        reasons.append(
            f"{found.twin} is listed for the same recordings: nothing tells which of the two calls."
        )
    elif found.rival:
        times = "all" if found.rival_with == found.listing_with else f"{found.rival_with:,}"
        reasons.append(
            f"{found.rival} is listed in {times} of these {found.listing_with:,} too: "
            "it may be the one that calls."
            if found.listing_with > 1
            else f"{found.rival} is listed there too: it may be the one that calls."
        )
    return reasons


def _share(part: int, whole: int, species: str) -> str:
    if whole == 1:
        return f"the only recording that lists {species}"
    few = (
        f"{part:,} of the {whole:,}" if part < whole else "both" if whole == 2 else f"all {whole:,}"
    )
    return f"{few} recordings that list {species}"


def _others(part: int, whole: int) -> str:
    if whole <= 1:
        return (", and in the other one" if part else ", and not in the other one") if whole else ""
    few = "none" if not part else "all" if part == whole else f"{part:,}"
    return f", and in {few} of the {whole:,} others"


def _chance(p_value: float) -> str:
    if p_value < 0.001:
        return "Chance alone would do that less than once in 1,000 times."
    if p_value <= 0.05:
        return f"Chance alone would do that about once in {round(1 / p_value):,} times."
    return f"Chance alone would do that about {round(100 * p_value)} times in 100."
