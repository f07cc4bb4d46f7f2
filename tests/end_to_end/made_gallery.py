"""A small gallery made by hand from the description of its files, for tests of its scripts.

Two recordings with hostile names, of two clips each. In every clip a tone of 2, 5 and 8 kHz, 0.2 s
long, at 0.5, 1.5 and 2.5 s; each tone is a syllable. Clusters: two modes of `SPECIES` and one of
background. The second clip of the second recording was left out of the gallery.
"""

from __future__ import annotations

import base64
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from PIL import Image

import birdmodes
from birdmodes.gallery.pages import page_templates

SPECIES = "<script>alert(1)</script>"
RECORDINGS = ['a"b<c>.wav', "marsh/=1+1 é#1.wav"]
TONES_HZ = (2000, 5000, 8000)
STARTS_S = (0.5, 1.5, 2.5)
LENGTH_S = 0.2
CLIP_S = 4.0
RATE_HZ = 22050
FRAME_S, BIN_HZ, N_BINS = 256 / RATE_HZ, RATE_HZ / 512, 257
CLIPS = ["a-000-11", "a-004-22", "b-000-33", "b-004-44"]
THUMBS = {"width": 48, "height": 36, "columns": 32, "per_sheet": 1024}
COLUMNS = ("recording", "number", "clip", "start_s", "end_s", "low_hz", "high_hz", "cluster")

WATCH_PLAYER = """(slowed) => {
  globalThis.plays = [];
  const { play } = birdmodes.player;
  birdmodes.player.play = (options) => {
    const { from_s, to_s, band, rate, gain } = options;
    const seen = { from_s, to_s, band, rate, gain, times: [], ended: false };
    plays.push(seen);
    return play({
      ...options,
      rate: slowed ?? rate,
      onTime: (time_s) => { seen.times.push(time_s); options.onTime?.(time_s); },
      onEnd: () => { seen.ended = true; options.onEnd?.(); },
    });
  };
}"""
"""Notes what is played; with a number, so slowly that it goes on while the test looks."""

SO_SLOW = 0.02


def syllable_id(recording: int, number: int) -> str:
    """As in the workspace."""
    return f"{RECORDINGS[recording]}#{number:05}"


def clip_samples() -> np.ndarray:
    """The three tones over silence."""
    samples = np.zeros(round(CLIP_S * RATE_HZ))
    time = np.arange(round(LENGTH_S * RATE_HZ)) / RATE_HZ
    for tone_hz, start_s in zip(TONES_HZ, STARTS_S, strict=True):
        first = round(start_s * RATE_HZ)
        samples[first : first + len(time)] = 0.5 * np.sin(2 * np.pi * tone_hz * time)
    return samples


def sound_address(samples: np.ndarray, rate_hz: int = RATE_HZ) -> str:
    """Sound as an MP3 in a data URL."""
    file = io.BytesIO()
    soundfile.write(file, samples, rate_hz, format="MP3")
    return "data:audio/mpeg;base64," + base64.b64encode(file.getvalue()).decode()


def clip_data(number: int) -> dict[str, Any]:
    """What is in ``clips/<clip>.js``."""
    recording, part = divmod(number, 2)
    width = round(CLIP_S / FRAME_S)
    n_frames, n_bins = round(LENGTH_S / FRAME_S), 10
    columns = [round(start_s / FRAME_S) for start_s in STARTS_S]
    bins = [round(tone_hz / BIN_HZ) - n_bins // 2 for tone_hz in TONES_HZ]
    box = f"M0 0h{n_frames}M0 {n_bins}h{n_frames}M0 0v{n_bins}M{n_frames} 0v{n_bins}"
    return {
        "recording": RECORDINGS[recording],
        "start_s": part * CLIP_S,
        "end_s": (part + 1) * CLIP_S,
        "picture": {
            "file": f"clips/{CLIPS[number]}.webp",
            "width": width,
            "height": N_BINS,
            "first_s": FRAME_S / 2,
            "frame_s": FRAME_S,
            "first_hz": 0,
            "bin_hz": BIN_HZ,
        },
        "sound": sound_address(clip_samples()),
        "numbers": [3 * part + n for n in range(3)],
        "places": [list(place) for place in zip(columns, bins, strict=True)],
        "outlines": [box] * 3,
    }


def gallery_data() -> dict[str, Any]:
    """What is in ``data/gallery.js``."""
    page = "species/script.html"
    modes = [
        (0, SPECIES, f"{SPECIES} A", "Flat whistle", "mode", 4, 0.9),
        (1, SPECIES, f"{SPECIES} song", "Song", "mode", 4, 0.6),
        (7, "", "Cluster 7", "Cluster 7", "background", 4, None),
    ]
    return {
        "format": 2,
        "version": "0",
        "clustering": "made",
        "base": "00",
        "nyquist_hz": RATE_HZ / 2,
        "species": [{"name": SPECIES, "page": page}],
        "modes": [
            {
                "cluster": cluster,
                "species": species,
                "mode": {0: f"{SPECIES} mode 1", 1: f"{SPECIES} song"}.get(cluster, ""),
                "name": name,
                "letter": {0: "A", 1: "B"}.get(cluster, ""),
                "title": "Flat whistle",
                "words": "2.0 kHz · 0.2 s",
                "sure": "likely" if species else "",
                "reasons": ["In all 2 recordings."] if species else [],
                "pitch_hz": TONES_HZ[number],
                "duration_s": LENGTH_S,
                "examples": [syllable_id(1, number)] if species else [],
                "heading": heading,
                "kind": kind,
                "page": f"{page if species else 'background.html'}#cluster-{cluster}",
                "syllables": size,
                "recordings": 2,
                "confidence": confidence,
            }
            for number, (cluster, species, name, heading, kind, size, confidence) in enumerate(
                modes
            )
        ],
        "recordings": RECORDINGS,
        "lists": {"names": ["Owl", SPECIES], "of": [[1, 0], None]},
        "clips": [
            {
                "name": name,
                "recording": number // 2,
                "start_s": number % 2 * CLIP_S,
                "end_s": (number % 2 + 1) * CLIP_S,
                "media": number < 3,
            }
            for number, name in enumerate(CLIPS)
        ],
        "label_next": [],
        "thumbs": {**THUMBS, "sheets": ["thumbs/t.webp"]},
        "map": {"method": "pca", "explained": [0.314, 0.12], "features": "two features"},
    }


def examples_data() -> dict[str, Any]:
    """What is in ``data/examples.js``: one of each mode, in the other recording."""
    return {
        syllable_id(1, number): {
            "recording": RECORDINGS[1],
            "label": f"Play example {number}",
            "picture": f"clips/{CLIPS[2]}.webp",
            "crop": 3,
            "box": [10, 20, 30, 40],
            "start_s": 0.0,
            "width_s": 2.0,
            "clip": CLIPS[2],
            "gain": 1.0,
            "low_hz": TONES_HZ[number] - 200,
            "high_hz": TONES_HZ[number] + 200,
            "from_s": 0.2,
            "to_s": 1.8,
        }
        for number in range(2)
    }


def syllables_data() -> dict[str, Any]:
    """What is in ``data/syllables.js``: 12 rows, on the map one group in each of three places."""
    rows = []
    for clip in range(4):
        for tone in range(3):
            start_s = clip % 2 * CLIP_S + STARTS_S[tone]
            low, high = TONES_HZ[tone] - 200, TONES_HZ[tone] + 200
            number = 3 * (clip % 2) + tone
            cluster = (0, 1, 7)[tone]
            rows.append((clip // 2, number, clip, start_s, start_s + LENGTH_S, low, high, cluster))
    made: dict[str, Any] = {
        name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }
    made["confidence"] = [(0.9, 0.6, 0.3)[row % 3] for row in range(12)]
    made["review"] = ["good", *[""] * 11]
    made["x"] = [(5000, 60000, 30000)[row % 3] + 1500 * (row // 3) for row in range(12)]
    made["y"] = [(5000, 10000, 60000)[row % 3] + 1000 * (row // 3) for row in range(12)]
    made["sub"] = {str(k): [0] * 12 for k in (2, 3, 4)}
    return made


def many_syllables(n: int) -> dict[str, Any]:
    """`n` syllables in 20 clouds, all of the first clip."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, 20, n)
    centre = rng.uniform(8000, 57000, (20, 2))
    place = (centre[cluster] + rng.normal(0, 4000, (n, 2))).clip(0, 65535).astype(int)
    zeros = [0] * n
    return {
        "recording": zeros,
        "number": list(range(n)),
        "clip": zeros,
        "start_s": [0.5] * n,
        "end_s": [0.7] * n,
        "low_hz": [1800] * n,
        "high_hz": [2200] * n,
        "cluster": cluster.tolist(),
        "confidence": rng.random(n).round(2).tolist(),
        "review": [""] * n,
        "x": place[:, 0].tolist(),
        "y": place[:, 1].tolist(),
        "sub": {str(k): zeros for k in (2, 3, 4)},
    }


def many_modes() -> list[dict[str, Any]]:
    """Twenty modes of twenty species."""
    like = gallery_data()["modes"][0]
    return [
        {**like, "cluster": n, "species": f"Species {n}", "name": f"Species {n} mode 1"}
        for n in range(20)
    ]


def write_data(path: Path, name: str, data: dict[str, Any]) -> None:
    """Write data as a script."""
    script = f"(globalThis.birdmodesData ??= {{}}).{name} = {json.dumps(data)};"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")


def write_gallery(folder: Path) -> Path:
    """Write the map, the syllable view and all that they need; other pages are missing."""
    package = Path(birdmodes.__file__).parent / "gallery"
    shutil.copytree(package / "assets", folder / "assets")
    for name in ("map", "syllable"):
        html = (
            page_templates()
            .get_template(f"{name}.html")
            .render(
                root="",
                here=name,
                clustering="made",
                grouping="",
                unsought=False,
                version="0",
                slowed=(1, 1),
            )
        )
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    write_data(folder / "data/gallery.js", "gallery", gallery_data())
    write_data(folder / "data/syllables.js", "syllables", syllables_data())
    write_data(folder / "data/examples.js", "examples", examples_data())
    (folder / "clips").mkdir()
    (folder / "thumbs").mkdir()
    for number, name in enumerate(CLIPS[:3]):
        write_clip(folder, number, name)
    sheet = np.random.default_rng(0).integers(0, 255, (36, 48 * 12)).astype(np.uint8)
    Image.fromarray(np.pad(sheet, ((0, 0), (0, 48 * 20)))).save(folder / "thumbs/t.webp")
    return folder


def write_clip(folder: Path, number: int, name: str) -> None:
    """Write data and picture of a clip."""
    clip = clip_data(number)
    script = "((globalThis.birdmodesData ??= {}).clips ??= {})"
    text = f"{script}[{json.dumps(name)}] = {json.dumps(clip)};"
    (folder / f"clips/{name}.js").write_text(text, encoding="utf-8")
    picture = np.full((N_BINS, clip["picture"]["width"]), 30, dtype=np.uint8)
    for column, first_bin in clip["places"]:
        picture[N_BINS - first_bin - 10 : N_BINS - first_bin, column : column + 17] = 230
    Image.fromarray(picture).save(folder / f"clips/{name}.webp")
