"""``birdmodes methods``: what can be given as ``--method``, and what each takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console, options

if TYPE_CHECKING:
    from algorithms.registry import Method


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Explain this method with all its options.",
            show_default=False,
            autocompletion=options.complete_method,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the methods: what each groups, its paper and its options."""
    from algorithms.options import find_method
    from algorithms.registry import METHODS

    chosen = list(METHODS.values()) if name is None else [find_method(name)]
    if json:
        console.print_json([_content(method) for method in chosen])
        return
    if name is not None:
        _explain(chosen[0])
        return
    for method in chosen:
        _list(method)
        console.say()
    console.say("all about one: birdmodes methods NAME")


def _content(method: Method) -> dict[str, Any]:
    from algorithms.options import method_options

    return {
        "name": method.name,
        "groups": "syllables" if method.kind == "instance" else "recordings",
        "summary": method.summary,
        "paper": method.paper,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "values": option.values,
                "meaning": option.meaning,
            }
            for option in method_options(method)
        ],
    }


def _list(method: Method) -> None:
    from algorithms.options import method_options

    _head(method)
    options = " ".join(f"{option.name}={option.default}" for option in method_options(method))
    console.paragraph(f"options: {options or 'none'}", indent=2)


def _explain(method: Method) -> None:
    from algorithms.options import SET_BY_COMMAND, method_options, takes_parameter

    _head(method)
    taken = [
        option for name, option in SET_BY_COMMAND.items() if takes_parameter(method.name, name)
    ]
    console.say()
    console.say("options, to be given as --set NAME=VALUE, with their defaults:")
    for option in method_options(method):
        console.say()
        console.say(f"  {option.name}={option.default}")
        values = option.values if option.parse else f"{option.values}; only from Python"
        console.paragraph(f"{option.meaning} ({values})".strip(), indent=4)
    console.say()
    console.say(f"set by the command itself: {', '.join(taken)}")


def _head(method: Method) -> None:
    from algorithms.options import GROUPS

    console.say(f"{method.name}  (groups {GROUPS[method.kind]})")
    console.paragraph(method.summary, indent=2)
    console.paragraph(f"paper: {method.paper}", indent=2)
