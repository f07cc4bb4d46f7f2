"""The review that is being made: one file per clustering, ``review/pending-<clustering>.json``.

``birdmodes review`` writes it at every edit; ``birdmodes review apply`` reads it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from birdmodes.errors import BirdmodesError, BusyError, ReviewError, WorkspaceError
from birdmodes.io.files import remove_unfinished, write_text
from birdmodes.io.locks import single_writer
from birdmodes.review.edits import MAX_BYTES, Review, load_review

LOCK = "lock"

NO_REVISION = ""
"""The revision while there is no file."""


class ReviewConflictError(BirdmodesError):
    """The review has changed since the revision that a change was made from."""


def pending_path(workspace: Path, clustering: str) -> Path:
    """Where the review of a clustering is kept until it is applied.

    Parameters
    ----------
    workspace : pathlib.Path
        The workspace's folder.
    clustering : str
        Name of the clustering.
    """
    return workspace / "review" / f"pending-{clustering}.json"


def pending_reviews(workspace: Path, clusterings: Iterable[str]) -> dict[str, Path]:
    """Clusterings of which something is pending, and the files.

    Parameters
    ----------
    workspace : pathlib.Path
        The workspace's folder.
    clusterings : iterable of str
        Names of its clusterings.
    """
    paths = {name: pending_path(workspace, name) for name in clusterings}
    return {name: path for name, path in paths.items() if path.exists()}


@contextlib.contextmanager
def only_one_review(workspace: Path) -> Iterator[None]:
    """Let nobody else review, or apply a review, in the same workspace.

    Parameters
    ----------
    workspace : pathlib.Path
        The workspace's folder.

    Raises
    ------
    WorkspaceError
        If somebody does, or the file system has no locks.
    """
    folder = workspace / "review"
    folder.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(single_writer(folder / LOCK))
        except BusyError as error:
            raise WorkspaceError(
                f"{workspace}: a review is open or being applied; use its page in the browser, or "
                "end 'birdmodes review' with Ctrl-C first"
            ) from error
        remove_unfinished(folder, "*-pending-*")
        yield


@dataclass(frozen=True)
class PendingReview:
    """Reads and writes one pending review; safe to use from several threads.

    Attributes
    ----------
    path : pathlib.Path
        Its file, which need not exist. Its folder must.
    clustering, base : str
        What reviews must be of, see `birdmodes.review.edits.Review`.
    """

    path: Path
    clustering: str
    base: str
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def read(self) -> tuple[str, Review | None]:
        """Give the revision and the review.

        Returns
        -------
        revision : str
            Stands for the content of the file; `NO_REVISION` if there is none.
        review : Review or None
            None if there is no file.

        Raises
        ------
        ReviewError
            If the file is damaged.
        """
        try:
            with self.path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return NO_REVISION, None
        return _digest(content), load_review(content, str(self.path))

    def write(self, revision: str, review: Review) -> str:
        """Keep a review, whole or not at all.

        Parameters
        ----------
        revision : str
            What `read` or the last `write` gave: the state that the review was made from.
        review : Review
            What to keep.

        Returns
        -------
        str
            The new revision.

        Raises
        ------
        ReviewConflictError
            If the file is not at `revision` any more. It stays as it is.
        ReviewError
            If the review is of another clustering or another state of it.
        OSError
            If the file cannot be written.
        """
        self._check(review)
        text = json.dumps(review.to_dict(), ensure_ascii=False, indent=1) + "\n"
        with self._lock:
            if self.read()[0] != revision:
                raise ReviewConflictError(
                    f"{self.path}: has changed since; load the page again before you go on"
                )
            write_text(self.path, text)
        return _digest(text.encode("utf-8"))

    def set_aside(self) -> Path | None:
        """Rename a review of another state of the clustering, or a damaged one.

        Returns
        -------
        pathlib.Path or None
            Its new name, so that it can still be applied; None if there is nothing to set aside.
        """
        try:
            _, review = self.read()
            if review is None:
                return None
            self._check(review)
        except ReviewError:
            digest = _digest(self.path.read_bytes())
            aside = self.path.with_name(f"{self.path.stem}-{digest[:8]}.json")
            self.path.replace(aside)
            return aside
        return None

    def _check(self, review: Review) -> None:
        if (review.clustering, review.base) != (self.clustering, self.base):
            raise ReviewError(
                f"the review is of another state than the clustering {self.clustering!r} has now; "
                "build the gallery again"
            )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
