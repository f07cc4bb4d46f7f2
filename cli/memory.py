"""Memory that arrays leave behind is kept for the next ones."""

from __future__ import annotations

_LARGEST_KEPT = (1 << 25) - (1 << 13)  # 32 MiB with what malloc adds: the most that glibc learns


def keep_freed() -> None:
    """Have the C library keep memory that is freed, up to some 64 MB, instead of returning it.

    At first glibc fetches every array of more than 128 kB from the system, which fills it with
    zeros, and gives it back when it is freed: a small `cluster` took a twentieth of its time for
    that. From the largest array that is freed, up to 32 MiB, it learns to keep those of that size
    (``M_MMAP_THRESHOLD`` in mallopt(3)). So one is made and freed; as nothing is written to it, it
    takes neither time nor memory. Other C libraries do as they like.
    """
    import numpy as np  # slow to import

    np.empty(_LARGEST_KEPT, dtype=np.uint8)
