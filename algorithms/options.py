"""Options of the methods, read from their constructors, so that a new method needs nothing here.

Names, kinds and defaults come from the constructor's signature and annotations, their meaning from
the ``Parameters`` section of the class docstring, or of the class that it refers to.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from algorithms.errors import did_you_mean
from algorithms.registry import METHODS, Method
from birdmodes.errors import ParameterError

SET_BY_COMMAND: Mapping[str, str] = {
    "n_clusters": "--k",
    "clusters_per_class": "--k-per-species",
    "random_state": "--seed",
}
"""Parameters that the command sets itself, and the command's option for each."""


GROUPS = {"instance": "syllables", "bag": "whole recordings"}
"""What the methods of a kind group, in the user's words."""


@dataclass(frozen=True)
class MethodOption:
    """A parameter of a method that users may set.

    Attributes
    ----------
    name : str
        As in ``--set name=value``.
    values : str
        What it may be, as people say it: ``a whole number``, ``auto, dense or knn``.
    default : str
        Its default, as it would be typed.
    meaning : str
        What it does; one paragraph, empty if nobody wrote it down.
    parse : callable or None
        Makes the value from what was typed; raises ValueError. None if it cannot be typed.
    """

    name: str
    values: str
    default: str
    meaning: str
    parse: Callable[[str], Any] | None


def find_method(name: str) -> Method:
    """Look up a method.

    Raises
    ------
    ParameterError
        If there is none of that name; the nearest is suggested, and all are named by what they
        group.
    """
    if name not in METHODS:
        named = "; ".join(
            f"for {what}: {', '.join(key for key, each in METHODS.items() if each.kind == kind)}"
            for kind, what in GROUPS.items()
        )
        raise ParameterError(f"no method {name!r}{did_you_mean(name, METHODS)}; there are, {named}")
    return METHODS[name]


def method_options(method: Method) -> list[MethodOption]:
    """Options of a method in the order of its constructor, without those the command sets.

    Parameters
    ----------
    method : Method
        An entry of `algorithms.METHODS`; its module is imported.
    """
    made = method.load()
    hints = get_type_hints(made.__init__)
    meanings = _meanings(made)
    options = []
    for name, parameter in inspect.signature(made).parameters.items():
        if name in SET_BY_COMMAND or parameter.kind is parameter.VAR_KEYWORD:
            continue
        values, parse = _kind(hints.get(name, str))
        options.append(
            MethodOption(name, values, _typed(parameter.default), meanings.get(name, ""), parse)
        )
    return options


def takes_parameter(name: str, parameter: str) -> bool:
    """Whether the constructor of the method of that name has a parameter."""
    return name in METHODS and parameter in inspect.signature(METHODS[name].load()).parameters


def parse_options(method: Method, assignments: Sequence[str]) -> dict[str, Any]:
    """Read what was given as ``--set NAME=VALUE`` for a method.

    Only names and kinds are checked here; whether a number is in range, the method says when it
    starts.

    Parameters
    ----------
    method : Method
        Whose options.
    assignments : sequence of str
        As in ``["alpha=0.5", "graph=knn"]``.

    Returns
    -------
    dict
        Parameters for `algorithms.make_clusterer`.

    Raises
    ------
    ParameterError
        If an assignment is not one, its name is unknown (methods that have such an option, or
        else the nearest name, are suggested), set by the command or given twice, or its value is
        of the wrong kind.
    """
    known = {option.name: option for option in method_options(method)} if assignments else {}
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals or not name:
            raise ParameterError(
                f"--set {assignment}: write NAME=VALUE, as in --set n_neighbors=15"
            )
        if name in values:
            raise ParameterError(f"--set: {name} is given twice")
        values[name] = _parse(method, known, name, text)
    return values


def _parse(method: Method, known: Mapping[str, MethodOption], name: str, text: str) -> Any:
    if name in SET_BY_COMMAND:
        raise ParameterError(f"--set: {name} is set with {SET_BY_COMMAND[name]}")
    if name not in known:
        settable = [option.name for option in known.values() if option.parse]
        hint = _methods_with(name, method.kind) or did_you_mean(name, settable)
        raise ParameterError(
            f"method {method.name} has no option {name!r}{hint}; its options are: "
            f"{', '.join(settable) or 'none'}"
        )
    option = known[name]
    if option.parse is None:
        raise ParameterError(f"--set: {name} of method {method.name} can only be set from Python")
    try:
        return option.parse(text)
    except ValueError:
        raise ParameterError(f"--set: {name} must be {option.values}, not {text!r}") from None


def _methods_with(option: str, kind: Literal["instance", "bag"]) -> str:
    """Name the methods of a kind that have an option, after a message that another has not."""
    have = [
        name
        for name, method in METHODS.items()
        if method.kind == kind and takes_parameter(name, option)
    ]
    if not have:
        return ""
    return f" ({option} is an option of {', '.join(have)}: use --method {have[0]})"


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


def _meanings(made: type) -> dict[str, str]:
    """What the docstrings say of each parameter of a class.

    Where they only refer to another class, as in ``See :class:`~module.Class```, what that says.
    """
    meanings: dict[str, str] = {}
    for name, meaning in _parameters_section(inspect.getdoc(made) or "").items():
        reference = re.match(r"See :class:`~([\w.]+)\.(\w+)`", meaning)
        if reference:
            other = getattr(import_module(reference[1]), reference[2])
            meaning = _meanings(other).get(name, "")
        meanings[name] = _plain(meaning)
    return meanings


def _parameters_section(docstring: str) -> dict[str, str]:
    """Parameter names and descriptions of a NumPy docstring, each on one line."""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=\n\n?\S[^\n]*\n-{3,}|\Z)", docstring, re.S | re.M
    )
    described: dict[str, str] = {}
    names: list[str] = []
    for line in section[1].splitlines() if section else []:
        if line and not line[0].isspace():
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            described.update(dict.fromkeys(names, ""))
        else:
            described.update({name: f"{described[name]} {line.strip()}".strip() for name in names})
    return described


def _plain(text: str) -> str:
    """Text without the markup of docstrings: roles, and the quotes of code."""
    text = re.sub(r":[a-z]+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", text)
    return re.sub(r"`+([^`]*)`+", r"\1", text)
