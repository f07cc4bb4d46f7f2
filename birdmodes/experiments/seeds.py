"""Seeds that depend on what is computed, never on when or where."""

from __future__ import annotations

import hashlib


def child_seed(*parts: str | int | float | None) -> int:
    """Derive a seed from the parts that name a computation.

    Python's own ``hash`` differs from process to process, so it is not used.

    Returns
    -------
    int
        0 to 2**31 - 1; the same for the same parts, in any process and order.
    """
    digest = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1
