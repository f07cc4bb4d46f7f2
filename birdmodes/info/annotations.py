"""What a workspace holds of ``assign``, ``annotate`` and ``evaluate``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from birdmodes.annotate.kept import ANNOTATED, EVALUATIONS, FACTS
from birdmodes.assign import kept as of_assign
from birdmodes.info.model import AnnotationInfo, AssignedInfo, EvaluationInfo


def assigned_in(folder: Path) -> list[AssignedInfo]:
    """List new recordings that were placed in modes, oldest first.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace; what was written elsewhere is not known.
    """
    pattern = f"{of_assign.ASSIGNED}/[!.]*/{of_assign.FACTS}"
    return [_assigned(folder, path) for path in _oldest_first(folder, pattern)]


def annotations_in(folder: Path) -> list[AnnotationInfo]:
    """List annotations of new recordings in a workspace, oldest first.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace; annotations that were written elsewhere are not known.
    """
    return [
        _annotation(folder, path) for path in _oldest_first(folder, f"{ANNOTATED}/[!.]*/{FACTS}")
    ]


def annotation_here(folder: Path) -> AnnotationInfo | None:
    """Tell of the annotation that a workspace is itself, if it is one."""
    path = folder / FACTS
    return _annotation(folder, path) if path.is_file() else None


def evaluations_in(folder: Path) -> list[EvaluationInfo]:
    """List evaluations in a workspace, oldest first."""
    return [
        _evaluation(folder, path) for path in _oldest_first(folder, f"{EVALUATIONS}/[!.]*.json")
    ]


def written(path: Path) -> str:
    """When a file was written (UTC, ISO 8601); empty if it is missing."""
    try:
        return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except FileNotFoundError:
        return ""


def _oldest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=lambda path: (path.stat().st_mtime_ns, path))


def _content(path: Path) -> dict[str, Any]:
    """What a JSON file says; nothing if it cannot be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _assigned(folder: Path, path: Path) -> AssignedInfo:
    facts = _content(path)
    clustering = str(facts.get("assigned_from") or "")
    return AssignedInfo(
        folder=path.parent.relative_to(folder).as_posix(),
        clustering=clustering,
        written=written(path),
        recordings=_count(facts, "recordings"),
        syllables=_count(facts, "syllables"),
        in_modes=_count(_part(facts, "kinds"), "mode"),
        problem="" if clustering else f"{path}: cannot be read; make it again",
    )


def _annotation(folder: Path, path: Path) -> AnnotationInfo:
    facts = _content(path)
    method = str(facts.get("annotated_by") or "")
    return AnnotationInfo(
        folder=path.parent.relative_to(folder).as_posix(),
        method=method,
        written=written(path),
        recordings=_count(facts, "recordings"),
        named=_count(_part(facts, "kinds"), "species"),
        species=_count(facts, "species_found"),
        expected_f1=_number(_part(facts, "left_out"), "micro_f1"),
        problem="" if method else f"{path}: cannot be read; make it again",
    )


def _evaluation(folder: Path, path: Path) -> EvaluationInfo:
    content = _content(path)
    parameters, metrics = _part(content, "parameters"), _part(content, "metrics")
    method = str(parameters.get("method") or "")
    page = path.with_suffix(".html")
    return EvaluationInfo(
        name=path.stem,
        method=method,
        written=written(path),
        recordings=_count(parameters, "recordings"),
        species=_count(parameters, "species"),
        folds=_count(parameters, "folds"),
        micro_f1=_number(metrics, "micro_f1"),
        average_precision=_number(metrics, "average_precision"),
        page=page.relative_to(folder).as_posix() if page.is_file() else "",
        problem="" if method else f"{path}: cannot be read; make it again",
    )


def _part(content: dict[str, Any], name: str) -> dict[str, Any]:
    part = content.get(name)
    return part if isinstance(part, dict) else {}


def _count(content: dict[str, Any], name: str) -> int:
    value = content.get(name)
    return value if isinstance(value, int) else 0


def _number(content: dict[str, Any], name: str) -> float | None:
    value = content.get(name)
    return float(value) if isinstance(value, int | float) else None
