"""What a command can be told: its options, in the words of its help, and the words that say so."""

from __future__ import annotations

import math
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from birdmodes.errors import ParameterError

LONGEST_VALUE = 10_000
"""Characters of one option."""


@dataclass(frozen=True)
class Option:
    """An option of a command.

    Attributes
    ----------
    flag : str
        As it is written: ``--min-conf``.
    help : str
        What it does.
    kind : {"switch", "choice", "number", "whole", "text"}
        What it takes.
    default : str
        What holds if it is left out; empty if the help says so.
    choices : tuple of str
        Of a choice.
    least, most : float or None
        Of a number.
    several : bool
        Whether it may be repeated.
    metavar : str
        What stands for its value in the help.
    required : bool
        Whether the command needs it.
    """

    flag: str
    help: str
    kind: str
    default: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    several: bool = False
    metavar: str = ""
    required: bool = False

    def words(self, value: Any) -> list[str]:
        """What says on the command line that the option has a value.

        Parameters
        ----------
        value : object
            As a page sends it: text, a truth value for a switch, a list for what may be repeated.

        Raises
        ------
        ParameterError
            If it cannot have this value.
        """
        if self.kind == "switch":
            if not isinstance(value, bool):
                raise ParameterError(f"{self.flag}: is on or off")
            return [self.flag] if value else []
        values = value if self.several and isinstance(value, list) else [value]
        return [f"{self.flag}={text}" for each in values if (text := self._checked(each))]

    def _checked(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > LONGEST_VALUE or not _is_one_line(value):
            raise ParameterError(f"{self.flag}: takes one line of text")
        text = value.strip()
        if text and self.kind == "choice" and text not in self.choices:
            raise ParameterError(f"{self.flag}: {text!r} is none of {', '.join(self.choices)}")
        if text and self.kind in ("number", "whole"):
            self._check_number(text)
        return text

    def _check_number(self, text: str) -> None:
        try:
            number = int(text) if self.kind == "whole" else float(text)
        except ValueError:
            kind = "a whole number" if self.kind == "whole" else "a number"
            raise ParameterError(f"{self.flag}: {text!r} is not {kind}") from None
        too_small = self.least is not None and number < self.least
        too_large = self.most is not None and number > self.most
        if too_small or too_large or not math.isfinite(number):
            least = "" if self.least is None else f" from {self.least:g}"
            most = "" if self.most is None else f" to {self.most:g}"
            raise ParameterError(f"{self.flag}: {text} is not{least}{most}")


@dataclass(frozen=True)
class CommandForm:
    """A command as a page shows it.

    Attributes
    ----------
    name : str
        As it is written after ``birdmodes``: ``segment``, ``review apply``.
    help : str
        What it does: its first sentence, then the rest.
    options : tuple of Option
        What it can be told.
    """

    name: str
    help: str
    options: tuple[Option, ...]

    def option(self, flag: str) -> Option:
        """Give one of its options.

        Raises
        ------
        ParameterError
            If it has none of this name.
        """
        for option in self.options:
            if option.flag == flag:
                return option
        raise ParameterError(f"birdmodes {self.name} has no {flag}")

    def arguments(self, values: Mapping[str, Any], places: Sequence[str] = ()) -> list[str]:
        """Give the words of the command, without ``birdmodes``.

        Parameters
        ----------
        values : mapping
            Flags to values, see `Option.words`; what is as by default need not be in it.
        places : sequence of str
            Files and folders that the command is about.

        Raises
        ------
        ParameterError
            If it has no such option, or not with this value.
        """
        words = self.name.split()
        for place in places:
            if not place or not _is_one_line(place):
                raise ParameterError(f"{place!r} is no path")
        for flag, value in values.items():
            words += self.option(flag).words(value)
        for option in self.options:
            if option.required and not any(word.startswith(f"{option.flag}=") for word in words):
                raise ParameterError(f"choose {option.flag[2:]} first")
        return [*words, *(["--", *places] if places else [])]


def _is_one_line(text: str) -> bool:
    return not any(letter in text for letter in "\0\r\n")


def shown_command(words: Sequence[str]) -> str:
    """Write a command as it is typed on this system.

    Parameters
    ----------
    words : sequence of str
        As `CommandForm.arguments` gives them.
    """
    # A lone "--" keeps paths from being taken for options; absolute ones never are.
    places = words[words.index("--") + 1 :] if "--" in words else []
    safe = all(not place.startswith("-") for place in places)
    plain = [word for word in words if not (safe and word == "--")]
    if sys.platform == "win32":
        return subprocess.list2cmdline(["birdmodes", *plain])
    return shlex.join(["birdmodes", *plain])
