"""What is drawn and cut of one clip of a recording."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from birdmodes.gallery import sounds
from birdmodes.pictures.ink import black_of, ink
from birdmodes.pictures.picture_files import encode_picture
from birdmodes.pictures.pictures import SoundImage, first_bin, recording_image
from birdmodes.pictures.source import Source, Stretch
from birdmodes.segmentation.parameters import SegmentationParameters

NOISE_CONTEXT_S = 5.0
"""Read before and after a syllable, so that the noise can be told from the sound; a clip is read
with as much around it as makes it twice as long as this."""

QUALITY = 45
"""Of the clips' pictures."""

SCRIPT_START = "((globalThis.birdmodesData ??= {}).clips ??= {})"


@dataclass(frozen=True, eq=False)
class ClipSound:
    """A clip as it is read, with its spectrogram.

    Attributes
    ----------
    stretch : Stretch
        The clip and what was read around it.
    image : SoundImage
        Of the stretch; its times are seconds of the recording.
    start_s, end_s : float
        Where the clip lies in the recording.
    """

    stretch: Stretch
    image: SoundImage
    start_s: float
    end_s: float

    def around(self, start_s: float) -> SoundImage:
        """The image, with its times from a given second of the recording."""
        return replace(self.image, first_s=self.image.first_s - start_s)

    def clip_image(self, parameters: SegmentationParameters) -> SoundImage:
        """The frames that the segmenter had of the clip, with times from its start."""
        image = self.around(self.start_s)
        first = round((parameters.window_s / 2 - image.first_s) / image.frame_s)
        n_samples = round((self.end_s - self.start_s) * parameters.sample_rate_hz)
        stop = first + max(0, 1 + (n_samples - parameters.n_window) // parameters.n_hop)
        return replace(
            image,
            level=image.level[:, first:stop],
            first_s=image.first_s + first * image.frame_s,
        )


def read_clip(
    source: Source, start_s: float, end_s: float, parameters: SegmentationParameters
) -> ClipSound:
    """Read a clip and draw its spectrogram.

    Parameters
    ----------
    source : Source
        The recording.
    start_s, end_s : float
        Where the clip lies in it (s).
    parameters : SegmentationParameters
        Of the spectrogram.

    Raises
    ------
    UnavailableError
        If the recording cannot be read.
    """
    room_s = max(0.0, 2 * NOISE_CONTEXT_S - (end_s - start_s))
    # In whole steps of the spectrogram, so that frames lie as the segmenter had them.
    steps = int(min(room_s, start_s) / parameters.frame_s)
    stretch = source.read(start_s - steps * parameters.frame_s, end_s + room_s)
    image = recording_image(stretch.samples, stretch.sample_rate_hz, stretch.start_s, parameters)
    return ClipSound(stretch, image, start_s, end_s)


def clip_picture(image: SoundImage, level_db: float) -> bytes:
    """Draw a clip, one pixel for each frame and bin; `level_db` is that of its usual syllable."""
    return encode_picture(ink(image.level, black_of(level_db)), QUALITY)


@dataclass(frozen=True, eq=False)
class ClipAudio:
    """The sound of a clip, for the player.

    Attributes
    ----------
    samples : ndarray of float32, shape (n_samples,)
        With the peak at `sounds.PEAK`, if that takes no more than `sounds.MOST_GAIN`.
    rate_hz : int
        Samples per second of the recording.
    slowed : int
        The file is to be played so many times slower; ``rate_hz / slowed`` is a rate that players
        know.
    gain : float
        Its amplification over the recording.
    start_s : float
        Of the clip.
    """

    samples: npt.NDArray[np.float32]
    rate_hz: int
    slowed: int
    gain: float
    start_s: float

    @classmethod
    def of(cls, clip: ClipSound, parameters: SegmentationParameters) -> ClipAudio:
        """Cut a clip's sound."""
        cut = clip.stretch.part(clip.start_s, clip.end_s)
        rates = cut.sample_rate_hz, parameters.sample_rate_hz
        slowed = sounds.slowing(*rates)
        rate = slowed * sounds.playable_rate(*rates)
        samples = sounds.resampled(cut.samples, cut.sample_rate_hz, rate)
        gain = sounds.gain_to_peak(samples)
        return cls(sounds.faded(samples * np.float32(gain), rate), rate, slowed, gain, clip.start_s)

    def further_gain(self, start_s: float, end_s: float) -> float:
        """What makes a part of the clip (s of the recording) as loud as its loudest part."""
        first = max(0, round((start_s - self.start_s) * self.rate_hz))
        stop = max(first, round((end_s - self.start_s) * self.rate_hz))
        most = max(1.0, sounds.MOST_GAIN / self.gain)
        return round(sounds.gain_to_peak(self.samples[first:stop], most), 2)

    def data_url(self) -> str | None:
        """The sound as text; None if there is none."""
        if not self.samples.size:
            return None
        content = sounds.encode_sound(self.samples, self.rate_hz // self.slowed)
        return f"data:{sounds.sound_type()};base64,{base64.b64encode(content).decode('ascii')}"


def picture_facts(address: str, image: SoundImage) -> dict[str, Any]:
    """What a page must know of a clip's picture."""
    height, width = image.level.shape
    return {
        "file": address,
        "width": width,
        "height": height,
        "first_s": round(image.first_s, 6),
        "frame_s": round(image.frame_s, 9),
        "first_hz": round(image.first_hz, 3),
        "bin_hz": round(image.bin_hz, 6),
    }


def place_of_patch(
    start_s: float, low_hz: float, image: SoundImage, parameters: SegmentationParameters
) -> list[int]:
    """Column and bin of a patch's first pixel; `start_s` as the image has its times."""
    return [round((start_s - image.first_s) / image.frame_s + 0.5), first_bin(low_hz, parameters)]


def clip_script(name: str, content: dict[str, Any]) -> bytes:
    """Script that gives a clip to the pages."""
    text = json.dumps(content, separators=(",", ":"))
    return f"{SCRIPT_START}[{json.dumps(name)}] = {text};\n".encode("ascii")


def read_clip_script(path: Path) -> dict[str, Any]:
    """Content of a script that `clip_script` made."""
    text = path.read_text(encoding="ascii")
    content: dict[str, Any] = json.loads(text[text.index(" = ") + 3 : text.rindex(";")])
    return content
