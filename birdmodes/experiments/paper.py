"""An experiment from what is data of it, ``papers/<experiment>.toml``, and what is done.

The file has its name, columns and entrants, its protocol and a quick one, what the command prints,
the words of its report and the claims. Texts may hold values in braces: those that the experiment
gives, phrases of the file, and for a claim what it is judged with. A claim with ``each`` stands for
several: one for each of its rows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from birdmodes.experiments.claims import Claim
from birdmodes.experiments.experiment import Brief, Experiment, Protocol
from birdmodes.experiments.judges import EXCEEDS, KINDS, MOST, NOT_BELOW, OVER_FOLDS, At, where
from birdmodes.experiments.report import Words
from birdmodes.experiments.results import means_table

_FOLDER = Path(__file__).parent / "papers"
_VALUES = {
    "EXCEEDS": EXCEEDS,
    "OVER_FOLDS": OVER_FOLDS,
    "NOT_BELOW": NOT_BELOW,
    "MOST": MOST,
}


def read_experiment(
    name: str,
    judges: Iterable[Callable[..., Any]] = (),
    values: Mapping[str, Any] | None = None,
    *,
    show: Callable[..., Any],
    **parts: Any,
) -> Experiment:
    """Make an experiment.

    Parameters
    ----------
    name : str
        A file of ``papers/`` without its ending.
    judges : iterable of callable
        Judges, and places to judge at, that only its claims name; beside those of
        :data:`birdmodes.experiments.judges.KINDS` and the places of the file.
    values : mapping, optional
        What texts hold in braces.
    show : callable
        From the texts of the file, the folder and the tables to what is shown.
    **parts
        The other fields of the :class:`~birdmodes.experiments.experiment.Experiment`; they go
        before what the file says. Where ``summarise`` is not among them, the summary are means over
        repetitions.
    """
    content = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    known = {**(values or {}), **_VALUES, **content.get("values", {})}
    for phrase, text in content.get("phrases", {}).items():
        known[phrase] = _text(text, known)
    texts = {key: _text(text, known) for key, text in content.get("texts", {}).items()}
    named: dict[str, Any] = {each.__name__: each for each in (*KINDS, *judges)}
    for place, how in content.get("places", {}).items():
        named[place] = where(**_filled(how, known))
    fields = {
        **_filled(content["experiment"], known),
        "protocol": partial(_protocol, _filled(content["protocol"], {}), content["quick"]),
        "words": Words(**{key: _text(text, known) for key, text in content["words"].items()}),
        "claims": [one for each in content["claims"] for one in _claims(each, named, known)],
        "show": partial(show, texts),
        "brief": partial(Brief.of, **content.get("brief", {})),
    }
    if "entrants" in content:
        fields["entrants"] = content["entrants"]
    without = fields.pop("without", ())
    if "summarise" not in parts:
        fields["summarise"] = partial(
            means_table,
            by=fields["setting_columns"],
            measures=fields["figures"],
            count=f"{fields.get('repetition', 'run')}s",
            without=without,
        )
    return Experiment(**{**fields, **parts})


def _protocol(
    full: dict[str, Any], fewer: dict[str, Any], name: str, quick: bool = False, **given: Any
) -> Protocol:
    """Make the protocol of an experiment, or a quick one, but for what is given."""
    named: dict[str, Any] = {"experiment": name} if "experiment" in full else {}
    if name in full.get("parts", ()):
        named["parts"] = (name,)
    return Protocol(
        **{"seed": 0, **full, **named, **(_filled(fewer, {}) if quick else {}), **given}
    )


def _claims(
    fields: dict[str, Any], named: Mapping[str, Callable[..., Any]], values: Mapping[str, Any]
) -> Iterator[Claim]:
    """Make the claims that an entry of a file stands for."""
    rows = fields.pop("each", [{}])
    judge, given = named[fields.pop("judge", "not_judged")], fields.pop("with", None)
    for row in values[rows] if isinstance(rows, str) else rows:
        known = {**values, **_filled(row, values)}
        arguments = {key: _filled(value, known) for key, value in (given or {}).items()}
        if "at" in arguments:
            arguments["at"] = _place(arguments["at"], named)
        known |= arguments
        told = {key: _filled(value, known) for key, value in fields.items()}
        yield Claim(**told, judge=judge if given is None else judge(**arguments))


def _place(at: Any, named: Mapping[str, Callable[..., Any]]) -> At:
    """Tell where to judge: as a place does, with what it asks for, or by fields of a place."""
    if isinstance(at, Mapping):
        return where(**at)
    place, *of = at
    found: At = named[place](*of) if of else named[place]
    return found


def _filled(value: Any, known: Mapping[str, Any]) -> Any:
    """Put values in the place of their names in braces; a name alone gives the value as it is."""
    if isinstance(value, dict):
        return {key: _filled(each, known) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(_filled(each, known) for each in value)
    if not isinstance(value, str):
        return value
    alone = value[1:-1]
    return known[alone] if value == f"{{{alone}}}" and alone in known else _text(value, known)


def _text(text: str, known: Mapping[str, Any]) -> str:
    """Join the lines of a text, and fill in the values that it holds."""
    return " ".join(text.split()).format(**known)
