"""Tables that are data: methods that take part, and what is done with them (``tables.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from algorithms.disambiguation.list_baselines import LIST_BASELINES
from birdmodes.experiments.names import BUILT_IN_SET, PUBLIC_SETS

TABLES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("tables.toml").read_text(encoding="utf-8")
)

MOST_KERNEL_INSTANCES: int = TABLES["most_kernel_instances"]
"""Training instances of the kernel form at most, whose time grows with their cube."""


ON_SETS: dict[str, Any] = {"built_in": BUILT_IN_SET, "every": PUBLIC_SETS}
"""What experiments on instances are run on by name."""


def listed(table: str) -> Iterator[dict[str, Any]]:
    """List the entries of a table: fields by name."""
    for fields in TABLES[table]:
        for baseline in LIST_BASELINES if "{baseline}" in fields["name"] else ("",):
            yield {
                name: value.replace("{baseline}", baseline) if isinstance(value, str) else value
                for name, value in fields.items()
            }


def texts(table: str) -> dict[str, str]:
    """Give the texts of a table by what they tell of."""
    return {name: " ".join(text.split()) for name, text in TABLES[table].items()}
