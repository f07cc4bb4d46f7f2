from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROBE = """
import resource, sys
import numpy as np
from cli.memory import keep_freed
if sys.argv[1] == "kept":
    keep_freed()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for kilobytes in range(200, 4000, 200):  # each larger than all that were freed before
    np.ones(kilobytes << 10, dtype=np.uint8)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries do as they like")
def test_memory_that_is_freed_is_not_fetched_again() -> None:
    fetched = {
        how: int(
            subprocess.run(
                [sys.executable, "-c", PROBE, how], capture_output=True, text=True, check=True
            ).stdout
        )
        for how in ("kept", "as ever")
    }
    assert fetched["kept"] < fetched["as ever"] / 4
