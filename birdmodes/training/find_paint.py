"""Find what was painted on which recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from birdmodes.audio.read import RecordingFile
from birdmodes.errors import ModelError
from birdmodes.io.paths import AnyPath, as_paths
from birdmodes.labels import NameMatcher
from birdmodes.labels.formats.boxes import Box, read_boxes
from birdmodes.training.paint import Paint, PaintedBoxes, PaintedImage

IMAGE_ENDINGS = frozenset({".bmp", ".png", ".tif", ".tiff", ".gif", ".pgm"})
TABLE_ENDINGS = frozenset({".csv", ".txt", ".tsv"})


@dataclass(frozen=True)
class PaintedRecording:
    """A recording and its truth."""

    recording: RecordingFile
    paint: Paint


def find_paint(
    recordings: Sequence[RecordingFile],
    masks: AnyPath | Iterable[AnyPath],
    *,
    top_is_high: bool = False,
) -> tuple[list[PaintedRecording], list[str]]:
    """Match masks with recordings.

    Parameters
    ----------
    recordings : sequence of RecordingFile
        The recordings; those without a mask are left out.
    masks : str, path-like, or iterable of them
        Pictures with the recordings' names, tables of boxes, or folders of them (a folder with
        pictures gives only these).
    top_is_high : bool
        Whether the top of the pictures is the highest frequency.

    Returns
    -------
    painted : list of PaintedRecording
        In the order of `recordings`.
    warnings : list of str
        Masks and recordings that do not fit each other.

    Raises
    ------
    ModelError
        If nothing fits, a name fits several recordings, or a recording has two masks.
    """
    given = as_paths(masks)
    names = [recording.name for recording in recordings]
    matcher = NameMatcher(names)
    images: dict[str, PaintedImage] = {}
    boxes: dict[str, list[Box]] = {}
    strays = []
    for file in _files(given):
        if file.suffix.lower() in IMAGE_ENDINGS:
            name = _only(matcher.find(file.stem), file, file.stem)
            if name is None:
                strays.append(str(file))
            elif name in images:
                raise ModelError(f"{file}: {name} has another picture too: {images[name].path}")
            else:
                images[name] = PaintedImage(file, top_is_high)
        else:
            for text, found in read_boxes(file, ModelError).items():
                name = _only(matcher.find(text), file, text)
                if name is None:
                    strays.append(f"{text} in {file}")
                else:
                    boxes.setdefault(name, []).extend(found)
    both = sorted(set(images) & set(boxes))
    if both:
        raise ModelError(f"{images[both[0]].path}: {both[0]} has boxes too; give one of both")
    paint: dict[str, Paint] = {**images}
    paint.update({name: PaintedBoxes(tuple(found)) for name, found in boxes.items()})
    painted = [PaintedRecording(it, paint[it.name]) for it in recordings if it.name in paint]
    if not painted:
        raise ModelError(
            f"{', '.join(map(str, given))}: none of the {len(strays)} masks here is named like "
            f"one of the {len(names)} recordings, such as {names[0] if names else ''}"
        )
    return painted, _warnings(strays, [name for name in names if name not in paint])


def _files(masks: Sequence[Path]) -> Iterator[Path]:
    for path in masks:
        if path.is_file():
            yield path
            continue
        if not path.is_dir():
            raise ModelError(f"{path}: no such file or folder")
        here = sorted(file for file in path.rglob("*") if file.is_file())
        here = [file for file in here if not file.name.startswith(".")]
        images = [file for file in here if file.suffix.lower() in IMAGE_ENDINGS]
        tables = [file for file in here if file.suffix.lower() in TABLE_ENDINGS]
        if not images and not tables:
            raise ModelError(
                f"{path}: no masks here: pictures (BMP, PNG) with the names of the recordings, "
                "or tables of boxes (Raven, CSV)"
            )
        yield from images or tables


def _only(fits: list[str], file: Path, text: str) -> str | None:
    if len(fits) > 1:
        raise ModelError(
            f"{file}: {text!r} fits {len(fits)} recordings ({', '.join(sorted(fits)[:3])}); "
            "give fewer recordings at a time"
        )
    return fits[0] if fits else None


def _warnings(strays: list[str], unpainted: list[str]) -> list[str]:
    warnings = []
    for texts, what in (
        (strays, "masks are for no recording here"),
        (unpainted, "recordings have no mask and are left out"),
    ):
        if texts:
            more = ", ..." if len(texts) > 3 else ""
            warnings.append(f"{len(texts)} {what} ({', '.join(texts[:3])}{more})")
    return warnings
