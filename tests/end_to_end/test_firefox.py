"""The gallery in Firefox: where things are, and that a click plays; and the window."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from browser import SCRIPT, page_of
from driven import WATCH_PLAYS
from firefox import Firefox, firefox
from window_parts import serving, stand_in, write_sound

from birdmodes.gallery.sounds import encode_sound, sound_type

__all__ = ["firefox"]

pytestmark = pytest.mark.browser

PICTURES = """[...document.querySelectorAll("button.spec")].map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [left, top, right, bottom];
})"""

# Loudness of the first and of the second 0.2 s of what was asked for, from 0.5 s on, as a share of
# what is in the first.
HEARD = """(async () => {
  const [{ clip }] = birdmodes.plays;
  const offline = new OfflineAudioContext(1, 22050 * 0.4, 22050);
  const sound = await birdmodes.player.decode(clip, offline);
  birdmodes.player.arrange(offline, sound, { from: 0.5, length: 0.4, rate: 1, gain: 1, at: 0 });
  const heard = (await offline.startRendering()).getChannelData(0);
  const power = (samples) => samples.reduce((sum, value) => sum + value * value, 0);
  const parts = [heard.subarray(0, 4410), heard.subarray(4410)].map(power);
  const original = power(sound.buffer.getChannelData(0).subarray(11025, 15435));
  return parts.map((part) => part / original);
})()"""


@pytest.mark.parametrize(("size", "highest"), [((1440, 900), 180), ((390, 844), 230)])
def test_sounds_are_in_sight_at_once(
    size: tuple[int, int], highest: int, firefox: Firefox, gallery: Path
) -> None:
    firefox.open(gallery / "index.html", size)
    assert firefox.evaluate("[innerWidth, innerHeight]") == list(size)
    boxes = firefox.evaluate(PICTURES)
    assert len(boxes) == 3  # all modes of both species
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= size[0]
        assert 0 < top < bottom <= size[1]
    assert boxes[0][1] < highest
    assert firefox.evaluate("document.documentElement.scrollWidth") <= size[0]
    firefox.open(page_of(gallery, SCRIPT), size)
    _, top, _, bottom = firefox.evaluate(PICTURES)[0]
    assert 0 < top < highest
    assert bottom < size[1]


def test_a_click_plays_what_the_picture_shows(firefox: Firefox, gallery: Path) -> None:
    """As far as it goes without a sound card: there Firefox lets no time pass for sounds."""
    firefox.open(gallery / "index.html")
    firefox.evaluate(WATCH_PLAYS)
    left, top, right, bottom = firefox.evaluate(PICTURES)[0]
    firefox.click((left + right) / 2, (top + bottom) / 2)
    firefox.wait_until("birdmodes.plays.length === 1")
    pressed = "[...document.querySelectorAll('[aria-pressed=true]')].map((one) => one.ariaLabel)"
    (label,) = firefox.evaluate(pressed)
    assert label.startswith(f"Play {SCRIPT} A")
    (stretch,) = firefox.evaluate("birdmodes.plays.map(({ from_s, to_s }) => [from_s, to_s])")
    shown = firefox.evaluate(
        "(({ start, width }) => [+start, +width])(document.querySelector('button.spec').dataset)"
    )
    assert stretch == pytest.approx([shown[0], sum(shown)], abs=0.01)
    loud = firefox.evaluate(HEARD)
    assert 0.9 < loud[0] < 1.1  # all of the tone from 0.5 to 0.7 s, and nothing after it
    assert loud[1] < 0.01
    firefox.click((left + right) / 2, (top + bottom) / 2)
    firefox.wait_until("!birdmodes.player.playing")


@pytest.mark.parametrize("rate_hz", [11025, 22050, 48000])
def test_sounds_begin_to_the_sample(rate_hz: int, firefox: Firefox, gallery: Path) -> None:
    samples = np.zeros(2 * rate_hz, dtype=np.float32)
    first, length = rate_hz // 2, rate_hz // 20
    samples[first : first + length] = 0.6 * np.sin(np.arange(length) * np.pi / 4)
    sound = base64.b64encode(encode_sound(samples, rate_hz)).decode()
    firefox.open(gallery / "index.html")
    heard = firefox.evaluate(
        f"""(async () => {{
          const bytes = Uint8Array.from(atob({json.dumps(sound)}), (sign) => sign.charCodeAt(0));
          const context = new AudioContext({{ sampleRate: {rate_hz} }});
          const samples = (await context.decodeAudioData(bytes.buffer)).getChannelData(0);
          return samples.findIndex((value) => Math.abs(value) > 0.2);
        }})()"""
    )
    assert abs(heard - first) <= 0.001 * rate_hz, sound_type()


def test_the_window_goes_from_a_folder_to_what_was_made(firefox: Firefox, tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        write_sound(tmp_path / "dawn" / name)
    held = tmp_path / "hold-cluster"
    held.touch()
    with serving(stand_in(tmp_path), tmp_path) as window:
        firefox.open(f"http://127.0.0.1:{window.port}/{window.context.token}/")
        firefox.wait_until("document.querySelector('.chooser-path').value !== ''")
        firefox.evaluate(_enter(".chooser-path", str(tmp_path / "dawn")))
        firefox.wait_until("document.body.textContent.includes('2 recordings here')")
        firefox.evaluate("document.querySelector('#chooser .primary').click()")
        firefox.wait_until("document.querySelector('#n-recordings')?.textContent === '2'")

        firefox.evaluate("document.querySelector('[href$=lists]').click()")
        firefox.wait_until("document.querySelectorAll('#sheet input').length === 2")
        firefox.evaluate(_enter("#sheet input", "Wren;Robin"))
        firefox.evaluate("document.querySelector('#save').click()")
        firefox.wait_until("document.querySelector('#saved').textContent.startsWith('Saved')")
        assert "a.wav,Wren;Robin\n" in (tmp_path / "dawn" / "labels.csv").read_text()

        firefox.evaluate("document.querySelector('[href$=modes]').click()")
        firefox.wait_until(
            "document.querySelector('[data-all] pre')?.textContent.includes('gallery')"
        )
        firefox.evaluate("document.querySelector('#start-all').click()")
        firefox.wait_until("document.querySelector('#work-now').textContent.includes('4 of 12')")
        firefox.evaluate("document.querySelector('#work-stop').click()")
        firefox.wait_until("document.querySelector('#work-on').hidden === false")
        held.unlink()
        firefox.evaluate("document.querySelector('#work-on').click()")
        firefox.wait_until("document.querySelector('#work-next').hidden === false")
        assert firefox.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _enter(selector: str, text: str) -> str:
    """Script that types a text and presses Enter."""
    return f"""(() => {{
      const field = document.querySelector("{selector}");
      field.value = {json.dumps(text)};
      field.dispatchEvent(new Event("input", {{ bubbles: true }}));
      field.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Enter", bubbles: true }}));
    }})()"""
