from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.workspace.store import Workspace

RATE_HZ = 48000

# The peak of the process itself: ru_maxrss would begin with that of the one that started it.
RUN = """
import atexit, pathlib, re
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: print(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]))
from cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_an_hour_at_48_khz_takes_less_than_300_mb(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    length = RATE_HZ // 5
    note = 0.2 * np.hanning(length) * np.sin(2 * np.pi * 4000 * np.arange(length) / RATE_HZ)
    with soundfile.SoundFile(tmp_path / "hour.wav", "w", RATE_HZ, 1, "PCM_16") as file:
        for _ in range(360):
            clip = 0.001 * rng.standard_normal(10 * RATE_HZ)
            for start in range(20):  # two syllables a second
                first = start * RATE_HZ // 2
                clip[first : first + length] += note
            file.write(clip)
    command = [sys.executable, "-c", RUN, "segment", "hour.wav", "--workers", "1"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    syllables = Workspace.open(tmp_path / "birdmodes-workspace").syllables()
    planted = (syllables["low_hz"] < 4000) & (syllables["high_hz"] > 4000)
    assert planted.sum() == pytest.approx(7200, rel=0.01)
    assert (~planted).sum() <= 2 * 60  # noise alone gives one or two a minute
    peak_kib = int(answer.stdout.split()[-1])
    assert peak_kib / 1024 < 300
