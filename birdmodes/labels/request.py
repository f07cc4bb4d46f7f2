"""Which labels were asked for, so that they can be asked for again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from birdmodes.io.paths import AnyPath


@dataclass(frozen=True)
class LabelRequest:
    """Label files and how they were to be read; the arguments of `birdmodes.labels.fit_labels`.

    Attributes
    ----------
    labels : tuple of str or None
        Files and folders; None for what lies beside the recordings.
    min_conf, species_map, label_column, encoding, labels_as, taxonomy, language
        See `birdmodes.labels.fit_labels`.
    """

    labels: tuple[str, ...] | None = None
    min_conf: float = 0.0
    species_map: str | None = None
    label_column: str | None = None
    encoding: str | None = None
    labels_as: str = "auto"
    taxonomy: str | None = None
    language: str | None = None

    def absolute(self) -> LabelRequest:
        """The same with paths that hold from any folder."""
        files = None if self.labels is None else tuple(os.path.abspath(p) for p in self.labels)  # noqa: PTH100
        mapped = self.species_map and os.path.abspath(self.species_map)  # noqa: PTH100
        known = self.taxonomy and os.path.abspath(self.taxonomy)  # noqa: PTH100
        return replace(self, labels=files, species_map=mapped, taxonomy=known)

    def with_changes(self, asked: LabelRequest) -> LabelRequest:
        """The same with what another request says otherwise than by default."""
        usual = LabelRequest()
        changes = {
            field.name: getattr(asked, field.name)
            for field in fields(self)
            if getattr(asked, field.name) != getattr(usual, field.name)
        }
        return replace(self, **changes)

    def options(self) -> dict[str, Any]:
        """Arguments of `birdmodes.labels.fit_labels` beside recordings and channel."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**values, "labels": None if self.labels is None else list(self.labels)}

    def to_dict(self) -> dict[str, Any]:
        """Values for a JSON file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LabelRequest:
        """Reverse of `to_dict`.

        Raises
        ------
        TypeError
            If the values are of something else.
        """
        known = {field.name for field in fields(cls)}
        request = cls(**{name: value for name, value in values.items() if name in known})
        files: Iterable[str] | None = request.labels
        return request if files is None else replace(request, labels=tuple(map(str, files)))

    def files(self, used: Iterable[AnyPath]) -> list[Path]:
        """All files that the labels depend on: those used, the map of names, and the taxonomy."""
        return [Path(path) for path in (*used, self.species_map, self.taxonomy) if path]
