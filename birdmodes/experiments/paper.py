"""What is data of an experiment: ``papers/<experiment>.toml``.

Its name and columns, its protocol and a quick one, the words of its report and the claims. Texts
may hold values in braces: those that the experiment gives, phrases of the file, and for a claim
what it is judged with. A claim with ``each`` stands for several: one for each of its rows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from birdmodes.experiments.claims import Claim
from birdmodes.experiments.experiment import Protocol
from birdmodes.experiments.judges import EXCEEDS, KINDS, MOST, NOT_BELOW, OVER_FOLDS
from birdmodes.experiments.report import Words
from birdmodes.experiments.results import means_table

_FOLDER = Path(__file__).parent / "papers"
_VALUES = {
    "EXCEEDS": EXCEEDS,
    "OVER_FOLDS": OVER_FOLDS,
    "NOT_BELOW": NOT_BELOW,
    "MOST": MOST,
}


@dataclass(frozen=True)
class Paper:
    """What a file says.

    Attributes
    ----------
    fields : mapping
        Of :class:`~birdmodes.experiments.experiment.Experiment`: all that is data.
    texts : mapping of str to str
        What to know to read further parts of the report, and captions.
    """

    fields: Mapping[str, Any]
    texts: Mapping[str, str]

    def averaged(self, figures: Sequence[str], without: Sequence[str] = ()) -> dict[str, Any]:
        """Fields of an experiment whose summary are means over repetitions.

        Parameters
        ----------
        figures : sequence of str
            Columns of figures.
        without : sequence of str
            Columns to leave out of the summary.
        """
        count = f"{self.fields.get('repetition', 'run')}s"
        by = self.fields["setting_columns"]
        means = partial(means_table, by=by, measures=figures, count=count, without=without)
        return {**self.fields, "figures": figures, "summarise": means}


def read_paper(name: str, judges: Iterable[Callable[..., Any]] = (), **values: Any) -> Paper:
    """Read what is data of an experiment.

    Parameters
    ----------
    name : str
        A file of ``papers/`` without its ending.
    judges : iterable of callable
        Judges, and places to judge at, that only its claims name; beside those of
        :data:`birdmodes.experiments.judges.KINDS`.
    **values
        What texts hold in braces.
    """
    content = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    values |= _VALUES | content.get("values", {})
    for phrase, text in content.get("phrases", {}).items():
        values[phrase] = _text(text, values)
    named: dict[str, Any] = {each.__name__: each for each in (*KINDS, *judges)}
    fields = {
        **_filled(content["experiment"], values),
        "protocol": partial(_protocol, _filled(content["protocol"], {}), content["quick"]),
        "words": Words(**{key: _text(text, values) for key, text in content["words"].items()}),
        "claims": [one for each in content["claims"] for one in _claims(each, named, values)],
    }
    return Paper(
        fields, {key: _text(text, values) for key, text in content.get("texts", {}).items()}
    )


def _protocol(
    full: dict[str, Any], fewer: dict[str, Any], name: str, quick: bool = False, **given: Any
) -> Protocol:
    """Make the protocol of an experiment, or a quick one, but for what is given."""
    named = {"experiment": name} if "experiment" in full else {}
    return Protocol(
        **{"seed": 0, **full, **named, **(_filled(fewer, {}) if quick else {}), **given}
    )


def _claims(
    fields: dict[str, Any], named: Mapping[str, Callable[..., Any]], values: Mapping[str, Any]
) -> Iterator[Claim]:
    """Make the claims that an entry of a file stands for."""
    rows = fields.pop("each", [{}])
    judge, given = named[fields.pop("judge")], fields.pop("with", None)
    for row in values[rows] if isinstance(rows, str) else rows:
        known = {**values, **_filled(row, values)}
        arguments = {key: _filled(value, known) for key, value in (given or {}).items()}
        if "at" in arguments:
            place, *of = arguments["at"]
            arguments["at"] = named[place](*of) if of else named[place]
        known |= arguments
        told = {key: _filled(value, known) for key, value in fields.items()}
        yield Claim(**told, judge=judge if given is None else judge(**arguments))


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
