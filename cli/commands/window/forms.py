"""What commands can be told, taken from their own signatures: for pages that offer the same."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo, OptionInfo

from birdmodes.app.forms import CommandForm, Option


def command_form(name: str, command: Callable[..., Any]) -> CommandForm:
    """Describe a command.

    Parameters
    ----------
    name : str
        As it is written after ``birdmodes``.
    command : callable
        The function, whose parameters are Typer's.
    """
    hints = typing.get_type_hints(command, include_extras=True)
    options = []
    for parameter in inspect.signature(command).parameters.values():
        kind, *about = typing.get_args(hints[parameter.name]) or (hints[parameter.name],)
        info = next((each for each in about if isinstance(each, OptionInfo | ArgumentInfo)), None)
        if isinstance(info, OptionInfo):
            options.append(_option(parameter, kind, info))
    said = inspect.cleandoc(command.__doc__ or "")
    return CommandForm(name, _plain(" ".join(said.split())), tuple(options))


def _option(parameter: inspect.Parameter, kind: Any, info: OptionInfo) -> Option:
    kind, several = _single(kind)
    # Within ``Annotated``, the first name stands where a default would.
    names = [info.default, *(info.param_decls or ())]
    flags = [name for name in names if isinstance(name, str) and name.startswith("--")]
    value = parameter.default
    choice = isinstance(kind, type) and issubclass(kind, enum.Enum)
    return Option(
        flag=flags[0] if flags else f"--{parameter.name.strip('_').replace('_', '-')}",
        help=_plain(info.help or ""),
        kind=_kind(kind),
        default=_default(value, info),
        choices=tuple(str(each.value) for each in kind) if choice else (),
        least=info.min,
        most=info.max,
        several=several,
        metavar=info.metavar or "",
        required=value is inspect.Parameter.empty,
    )


def _single(kind: Any) -> tuple[Any, bool]:
    """Type of one value, and whether there may be several."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(each for each in typing.get_args(kind) if each is not type(None))
    if typing.get_origin(kind) is list:
        return typing.get_args(kind)[0], True
    return kind, False


def _kind(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return "choice"
    return {bool: "switch", int: "whole", float: "number"}.get(kind, "text")


def _default(value: Any, info: OptionInfo) -> str:
    """What holds if the option is left out; empty where the help says it."""
    if isinstance(info.show_default, str):
        return info.show_default
    if value is inspect.Parameter.empty or value is None or isinstance(value, bool | Path):
        return ""
    if isinstance(value, enum.Enum):
        return str(value.value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(text: str) -> str:
    """Help without the signs that keep brackets from being taken for markup."""
    return text.replace("\\[", "[")
