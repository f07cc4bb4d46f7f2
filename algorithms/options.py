"""Options of the methods, read from their constructors, so that a new method needs nothing here.

Names, kinds and defaults come from the constructor's signature and annotations, their meaning from
the ``Parameters`` section of the class docstring, or of the class that it refers to.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal

from algorithms.assignments import Option, options_of, split_assignments
from algorithms.errors import OptionError, did_you_mean
from algorithms.registry import METHODS, Method

SET_BY_COMMAND: Mapping[str, str] = {
    "n_clusters": "--k",
    "clusters_per_class": "--k-per-species",
    "random_state": "--seed",
}
"""Parameters that the command sets itself, and the command's option for each."""


GROUPS = {"instance": "syllables", "bag": "whole recordings"}
"""What the methods of a kind group, in the user's words."""


def find_method(name: str) -> Method:
    """Look up a method.

    Raises
    ------
    OptionError
        If there is none of that name; the nearest is suggested, and all are named by what they
        group.
    """
    if name not in METHODS:
        named = "; ".join(
            f"for {what}: {', '.join(key for key, each in METHODS.items() if each.kind == kind)}"
            for kind, what in GROUPS.items()
        )
        raise OptionError(f"no method {name!r}{did_you_mean(name, METHODS)}; there are, {named}")
    return METHODS[name]


def method_options(method: Method) -> list[Option]:
    """Options of a method in the order of its constructor, without those the command sets.

    Parameters
    ----------
    method : Method
        An entry of `algorithms.METHODS`; its module is imported.
    """
    made = method.load()
    meanings = _meanings(made)
    return [
        replace(option, meaning=meanings.get(option.name, ""))
        for option in options_of(made)
        if option.name not in SET_BY_COMMAND
    ]


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
    OptionError
        If an assignment is not one, its name is unknown (methods that have such an option, or
        else the nearest name, are suggested), set by the command or given twice, or its value is
        of the wrong kind.
    """
    known = {option.name: option for option in method_options(method)} if assignments else {}
    return {
        name: _known_option(method, known, name).read(text)
        for name, text in split_assignments(assignments).items()
    }


def _known_option(method: Method, known: Mapping[str, Option], name: str) -> Option:
    if name in SET_BY_COMMAND:
        raise OptionError(f"--set: {name} is set with {SET_BY_COMMAND[name]}")
    if name not in known:
        settable = [option.name for option in known.values() if option.parse]
        hint = _methods_with(name, method.kind) or did_you_mean(name, settable)
        raise OptionError(
            f"method {method.name} has no option {name!r}{hint}; its options are: "
            f"{', '.join(settable) or 'none'}"
        )
    return known[name]


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
