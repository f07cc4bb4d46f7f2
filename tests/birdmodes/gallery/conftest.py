"""A small workspace with a clustering, whose truth is known, and its gallery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.gallery import GalleryResult, build_gallery
from birdmodes.gallery.example_files import ExampleFiles
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.plan import PagePlan, make_plan
from birdmodes.gallery.syllable_table import syllable_table
from birdmodes.gallery.windows import Windows
from birdmodes.groups.grouping import Grouping
from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
from birdmodes.modes.words import syllable_measures
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table
from birdmodes.workspace.times_of_day import syllable_times

RATE_HZ = 22050
SCRIPT = "<script>alert(1)</script>"
RECORDINGS = ['a"b<c>.wav', "dawn/b & c.wav", "dawn/c.wav", "d'e#f?g%20h.wav"]
RECORDED_AT = ["2021-05-02T04:59:58", "2021-05-03T23:00:00", "", ""]
"""The first covers 2 s of the hour from 4 o'clock and 1 s of the next, the second 3 s."""
TONES = [(0.5, 2000.0), (1.2, 4000.0), (1.9, 6000.0), (2.5, 8000.0)]
"""Start (s) and frequency (Hz) of the syllables of every recording; tone n is cluster n."""
TONE_S = 0.2


@dataclass(frozen=True)
class Case:
    """What the tests know: tones 0 and 1 are modes of `SCRIPT`, 2 is "Wren", 3 is background."""

    root: Path
    workspace: Workspace
    clustering: Clustering

    def recording(self, number: int) -> Path:
        """File of one of `RECORDINGS`."""
        return self.root / "recordings" / RECORDINGS[number]


def samples_with_tones(number: int) -> np.ndarray:
    rng = np.random.default_rng(number)
    samples = 0.001 * rng.standard_normal(3 * RATE_HZ)
    time = np.arange(round(TONE_S * RATE_HZ)) / RATE_HZ
    for start_s, tone_hz in TONES:
        first = round(start_s * RATE_HZ)
        samples[first : first + len(time)] += 0.2 * np.sin(2 * np.pi * tone_hz * time)
    return samples


def tone_segment(samples: np.ndarray, start_s: float, tone_hz: float) -> Segment:
    parameters = SegmentationParameters()
    white = whiten(spectrogram(samples, parameters), parameters)
    first = round((start_s - white.first_s) / white.frame_s)
    stop = first + round(TONE_S / white.frame_s)
    middle = round(tone_hz / white.bin_hz)
    level = 20 * np.log10(white.magnitude[middle - 4 : middle + 5, first:stop])
    features = np.zeros(len(FEATURE_NAMES))
    features[FEATURE_NAMES.index("freq-max")] = middle / (parameters.n_bins - 1)
    mask = np.zeros(level.shape, dtype=bool)
    mask[2:7] = True
    start, end = white.times_s(first, stop)
    low, high = white.frequencies_hz(middle - 4, middle + 5)
    patch = (np.clip(level, 0, 60) / 60 * 255).astype(np.uint8)
    return Segment(start, end, low, high, features, patch, mask, False)


def commit_recording(workspace: Workspace, root: Path, number: int) -> None:
    name = RECORDINGS[number]
    path = root / "recordings" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = samples_with_tones(number)
    soundfile.write(path, samples, RATE_HZ)
    found = [ClipSegment(0, 0.0, tone_segment(samples, *tone)) for tone in TONES]
    labels = [f"{SCRIPT};Wren", f"{SCRIPT};Wren", f"Owl;{SCRIPT}", ""][number]
    workspace.commit(
        {
            "recording": name,
            "path": str(path),
            "size_bytes": path.stat().st_size,
            "mtime_ns": path.stat().st_mtime_ns,
            "duration_s": 3.0,
            "sample_rate_hz": RATE_HZ,
            "channels": 1,
            "labelled": number != 3,
            "species": labels,
            "n_clips": 1,
            "bag_unit": "clip",
            "n_syllables": len(found),
            "note": "",
            "recorded_at": RECORDED_AT[number],
            "utc_offset": "+01:00" if RECORDED_AT[number] else "",
        },
        syllables_table(name, found, "clip"),
    )


def known_clustering(workspace: Workspace) -> Clustering:
    """Cluster n holds tone n; "Wren" is not in the third recording, so confidence is 0 there."""
    table = workspace.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    table["cluster"] = [int(name[-1]) for name in table["syllable"]]
    table["species"] = table["cluster"].map({0: SCRIPT, 1: SCRIPT, 2: "Wren", 3: ""})
    numbers = {0: " mode 1", 1: " mode 2", 2: " mode 1", 3: ""}
    table["mode"] = table["species"] + table["cluster"].map(numbers)
    table["confidence"] = np.where(table["species"] == "", 0.0, 0.9)
    without = (table["species"] == "Wren") & (table["recording"] == RECORDINGS[2])
    table.loc[without, "confidence"] = 0.0
    table["centrality"] = 1 - table.groupby("cluster").cumcount() / 4
    table["recorded_at"] = syllable_times(table, workspace.recordings())
    table["review"] = ""
    first = table.groupby("cluster", as_index=False).first()
    modes = first[["cluster", "species", "mode"]].assign(
        background=[False, False, False, True],
        syllables=4,
        recordings=4,
        confidence=[0.9, 0.8, 0.7, 0.0],
        consistency=[1.0, 1.0, 0.67, np.nan],
        p_value=[0.0004, 0.03, 0.2, np.nan],
    )
    return Clustering(
        "csp-k4",
        table,
        modes,
        {"clusters": 4, "silhouette": 0.81234, "stability": None},
        {
            "birdmodes": "0.1.0",
            "libraries": {"python": "3.11.2", "numpy": "2.4"},
            "method": "csp",
            "k": 4,
            "seed": 3,
            "options": {"alpha": 0.7},
        },
    )


def known_grouping() -> Grouping:
    """The first two recordings are in one group, the third is alone, the last is in none.

    "Wren" is listed for both of the first, and for two of the three that have a list and a group.
    """
    bags = pd.DataFrame(
        {
            "bag": [f"{name}#0" for name in RECORDINGS],
            "recording": RECORDINGS,
            "start_s": 0.0,
            "end_s": 3.0,
            "group": [0, 0, 1, -1],
            "strength": [0.5, 2.25, -1.0, np.nan],
            "rank": [2, 1, 1, 0],
            "witness": [f"{RECORDINGS[0]}#00002", "", "", ""],
            "n_syllables": [4, 4, 4, 0],
            "species": [f"{SCRIPT};Wren", f"{SCRIPT};Wren", f"Owl;{SCRIPT}", ""],
            "labelled": [True, True, True, False],
        }
    )
    groups = pd.DataFrame(
        {
            "group": [0, 1],
            "bags": [2, 1],
            "recordings": [2, 1],
            "syllables": [8, 4],
            "top_species": ["none stands out", "Owl 100 %"],
            "typical_syllables": [
                [f"{RECORDINGS[1]}#00003", f"{RECORDINGS[0]}#00002"],
                [f"{RECORDINGS[2]}#00001"],
            ],
        }
    )
    rows = [
        (0, "Wren", 2, 2, 1.0, 1.5, 0.3, 0.6),
        (0, SCRIPT, 2, 2, 1.0, 1.0, 1.0, 1.0),
        (1, "Owl", 1, 1, 1.0, 3.0, 0.001, 0.004),
        (1, SCRIPT, 1, 1, 1.0, 1.0, 1.0, 1.0),
    ]
    columns = ["group", "species", "bags_with", "bags_labelled", "share", "lift"]
    make_up = pd.DataFrame(rows, columns=[*columns, "p_value", "q_value"])
    return Grouping(
        "vote-k2",
        bags,
        groups,
        make_up,
        {"groups": 2, "bags": 4, "silhouette": 0.4321, "label_nmi": None},
        {"method": "kmeans-vote", "k": 2, "k_from": "default", "seed": 7, "options": {"n_init": 5},
         "bags": 4, "typical_syllables": "witnesses"},
    )  # fmt: skip


def planned(
    workspace: Workspace, clustering: Clustering, examples: int = 3
) -> tuple[list[PagePlan], Windows]:
    """What goes where, and what the pictures show."""
    table = syllable_table(workspace, clustering, syllable_measures(workspace))
    windows = Windows(workspace, table)
    return make_plan(workspace, clustering, table, windows, examples), windows


def material_of(plans: list[PagePlan], clip: str | None = "clip-1") -> Material:
    """Names of files that nobody made."""
    modes = [mode for plan in plans for mode in plan.modes]
    examples = {
        str(name): ExampleFiles("pictures/p.webp", clip, 2.5)
        for mode in modes
        for name in mode.examples["syllable"]
    }
    return Material(examples, {mode.cluster: "pictures/m.webp" for mode in modes})


@pytest.fixture(scope="session")
def grouping() -> Grouping:
    """Groups of the recordings of `case`."""
    return known_grouping()


@pytest.fixture
def make_case(tmp_path: Path) -> Callable[[], Case]:
    """Make a workspace that the test may damage."""

    def make() -> Case:
        return _case(tmp_path)

    return make


@pytest.fixture(scope="session")
def new_case() -> Callable[[Path], Case]:
    """Make a workspace in a folder, for more than one test."""
    return _case


@pytest.fixture(scope="session")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A workspace to read only."""
    return _case(tmp_path_factory.mktemp("gallery-case"))


def _case(root: Path) -> Case:
    workspace = Workspace.prepare(root / "workspace", Settings(SegmentationParameters()))
    for number in range(len(RECORDINGS)):
        commit_recording(workspace, root, number)
    write_clustering(workspace, known_clustering(workspace))
    return Case(root, workspace, read_clustering(workspace))


@pytest.fixture(scope="session")
def built(case: Case) -> GalleryResult:
    """Gallery of `case`."""
    return build_gallery(case.workspace, case.clustering, case.root / "gallery")


@pytest.fixture(scope="session")
def grouped(case: Case, grouping: Grouping) -> Path:
    """Folder of a gallery of modes and groups, to be read only."""
    folder = case.root / "grouped"
    return build_gallery(case.workspace, case.clustering, folder, grouping=grouping).index.parent


@pytest.fixture(scope="session")
def script_name() -> str:
    """Name of the hostile species."""
    return SCRIPT


@pytest.fixture(scope="session")
def recording_names() -> list[str]:
    """Names of the recordings, hostile ones among them."""
    return RECORDINGS
