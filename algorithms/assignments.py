"""``NAME=VALUE`` as it is typed, read by the annotations of what takes the values."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from algorithms.errors import OptionError


@dataclass(frozen=True)
class Option:
    """A parameter that users may set.

    Attributes
    ----------
    name : str
        As in ``--set name=value``.
    values : str
        What it may be, as people say it: ``a whole number``, ``auto, dense or knn``.
    default : str
        Its default, as it would be typed.
    parse : callable or None
        Makes the value from what was typed; raises ValueError. None if it cannot be typed.
    meaning : str
        What it does; one paragraph, empty if nobody wrote it down.
    """

    name: str
    values: str
    default: str
    parse: Callable[[str], Any] | None
    meaning: str = ""

    def read(self, text: str) -> Any:
        """Make the value from what was typed.

        Raises
        ------
        OptionError
            If it is of the wrong kind, or cannot be typed.
        """
        if self.parse is None:
            raise OptionError(f"--set: {self.name} can only be set from Python")
        try:
            return self.parse(text)
        except ValueError:
            raise OptionError(f"--set: {self.name} must be {self.values}, not {text!r}") from None


def options_of(made: type[Any]) -> list[Option]:
    """Parameters of a class in their order: names, kinds and defaults.

    Parameters
    ----------
    made : type
        The annotations of its constructor say what each parameter may be.
    """
    hints = get_type_hints(made.__init__)
    options = []
    for name, parameter in inspect.signature(made).parameters.items():
        if parameter.kind is not parameter.VAR_KEYWORD:
            values, parse = _kind(hints.get(name, str))
            options.append(Option(name, values, _typed(parameter.default), parse))
    return options


def split_assignments(assignments: Sequence[str]) -> dict[str, str]:
    """Take ``NAME=VALUE`` apart.

    Parameters
    ----------
    assignments : sequence of str
        What was given as ``--set``, as in ``["alpha=0.5", "graph=knn"]``.

    Returns
    -------
    dict of str to str

    Raises
    ------
    OptionError
        If one is no assignment, or a name is given twice.
    """
    texts: dict[str, str] = {}
    for assignment in assignments:
        name, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals or not name:
            raise OptionError(f"--set {assignment}: write NAME=VALUE")
        if name in texts:
            raise OptionError(f"--set: {name} is given twice")
        texts[name] = text
    return texts


def _kind(hint: Any) -> tuple[str, Callable[[str], Any] | None]:
    """What an annotation allows: in words, and the function that reads it."""
    origin = get_origin(hint)
    if origin is Literal:
        by_text = {str(choice): choice for choice in get_args(hint)}
        return _in_words(list(by_text)), lambda text: _choose(by_text, text)
    if origin in (Union, types.UnionType):
        parsers = [parse for _, parse in map(_kind, _strictest_first(get_args(hint))) if parse]
        words = _in_words([values for values, parse in map(_kind, get_args(hint)) if parse])
        return words or _OBJECT, (
            (lambda text: _first_that_reads(parsers, text)) if parsers else None
        )
    return _SIMPLE.get(hint, (_OBJECT, None))


def _strictest_first(hints: Sequence[Any]) -> list[Any]:
    """Sort the kinds of a union so that text, which takes anything, is tried last."""
    order = [type(None), bool, int, float, str]
    return sorted(hints, key=lambda hint: order.index(hint) if hint in order else -1)


def _first_that_reads(parsers: Sequence[Callable[[str], Any]], text: str) -> Any:
    for parse in parsers:
        try:
            return parse(text)
        except ValueError:
            continue
    raise ValueError(text)


def _choose(by_text: Mapping[str, Any], text: str) -> Any:
    if text not in by_text:
        raise ValueError(text)
    return by_text[text]


def _none(text: str) -> None:
    if text.lower() != "none":
        raise ValueError(text)


_OBJECT = "an object"

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

_SIMPLE: dict[Any, tuple[str, Callable[[str], Any] | None]] = {
    int: ("a whole number", int),
    float: ("a number", float),
    bool: ("true or false", lambda text: _choose(_TRUTH, text.lower())),
    str: ("text", str),
    type(None): ("none", _none),
}


def _in_words(choices: Sequence[str]) -> str:
    return " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)


def _typed(default: Any) -> str:
    """A default as it would be typed."""
    if default is inspect.Parameter.empty:
        return ""
    if isinstance(default, bool) or default is None:
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)
