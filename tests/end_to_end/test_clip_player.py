"""The player of clips in a real browser: what comes out of it, and when."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_gallery
import pytest
from browser import OpenPage, wait_until
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

LISTEN = """
  globalThis.heard = [];
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode && target.context instanceof AudioContext) {
      const analyser = new AnalyserNode(target.context, { fftSize: 2048 });
      globalThis.loudness = () => {
        const samples = new Float32Array(2048);
        analyser.getFloatTimeDomainData(samples);
        return Math.hypot(...samples) / Math.sqrt(2048);
      };
      connect.call(this, analyser);
    }
    return connect.call(this, target, ...rest);
  };
"""
"""Taps what goes to the loudspeakers."""

RENDER = """async (options) => {
  const clip = await birdmodes.loadClip("a-000-11");
  const audio = new OfflineAudioContext(1, 8 * 44100, 44100);
  const sound = await birdmodes.player.decode(clip, audio);
  birdmodes.player.arrange(audio, sound, { rate: 1, gain: 1, band: null, at: 0, ...options });
  const samples = (await audio.startRendering()).getChannelData(0);
  const size = 441;
  return Array.from({ length: 800 }, (_, n) =>
    Math.hypot(...samples.subarray(n * size, (n + 1) * size)) / Math.sqrt(size));
}"""
"""Root mean square of every hundredth of a second of 8 s."""

PITCH = """async (options) => {
  const clip = await birdmodes.loadClip("a-000-11");
  const audio = new OfflineAudioContext(1, 44100, 44100);
  const sound = await birdmodes.player.decode(clip, audio);
  birdmodes.player.arrange(audio, sound, { gain: 1, band: null, at: 0, ...options });
  const samples = (await audio.startRendering()).getChannelData(0).subarray(2000, 6410);
  let crossings = 0;
  samples.forEach((value, n) => { crossings += n > 0 && value > 0 && samples[n - 1] <= 0; });
  return crossings * 10;
}"""

PLAY = """async ([name, options]) => {
  globalThis.times = [];
  globalThis.ended = 0;
  globalThis.problems = [];
  const clip = await birdmodes.loadClip(name);
  birdmodes.player.play({
    clip, band: null, rate: 1, gain: 1,
    onTime: (time_s) => times.push(time_s),
    onEnd: () => { ended += 1; },
    onProblem: (text) => problems.push(text),
    ...options,
  });
}"""

TONE_RMS = 0.5 / math.sqrt(2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_gallery.write_gallery(tmp_path_factory.mktemp("player") / "gallery")


@pytest.fixture(scope="module")
def page(folder: Path, browser: Browser) -> Iterator[Page]:
    """A page for all tests that need no fresh one."""
    page = browser.new_page()
    page.goto((folder / "map.html").as_uri())
    yield page
    page.close()


def sounding(levels: list[float]) -> tuple[float, float]:
    """First and last second with sound."""
    loud = [n for n, level in enumerate(levels) if level > 0.1]
    return loud[0] / 100, (loud[-1] + 1) / 100


def test_a_stretch_starts_and_ends_where_it_should(page: Page) -> None:
    # the first tone is from 0.5 to 0.7 s of the clip, the second from 1.5 to 1.7 s
    levels = page.evaluate(RENDER, {"from": 0.4, "length": 1.2})
    assert sounding(levels[:50]) == (pytest.approx(0.1, abs=0.011), pytest.approx(0.3, abs=0.011))
    assert sounding(levels[50:]) == (pytest.approx(0.6, abs=0.011), pytest.approx(0.7, abs=0.011))
    assert max(levels[130:]) < 1e-6
    assert levels[20] == pytest.approx(TONE_RMS, rel=0.05)


@pytest.mark.parametrize("rate", [0.5, 0.25])
def test_slowing_down_lengthens_and_lowers(page: Page, rate: float) -> None:
    levels = page.evaluate(RENDER, {"from": 0.4, "length": 0.5, "rate": rate})
    expected = (pytest.approx(0.1 / rate, abs=0.011), pytest.approx(0.3 / rate, abs=0.011))
    assert sounding(levels) == expected
    pitch = page.evaluate(PITCH, {"from": 0.5, "length": 0.2, "rate": rate})
    assert pitch == pytest.approx(2000 * rate, abs=10)


def test_the_band_keeps_the_syllable_and_removes_the_others(page: Page) -> None:
    # 2 kHz is more than an octave below the band of the tone of 5 kHz, 8 kHz half an octave above
    options = {"from": 0.0, "length": 4.0, "band": [4800, 5200]}
    levels = page.evaluate(RENDER, options)
    below, inside, above = levels[60], levels[160], levels[260]
    assert inside == pytest.approx(TONE_RMS, rel=0.2)
    assert below < inside / 10 ** (50 / 20)
    assert above < inside / 10 ** (20 / 20)


def test_the_band_follows_the_pitch_when_slowed_down(page: Page) -> None:
    options = {"from": 0.0, "length": 2.0, "band": [4800, 5200], "rate": 0.25}
    levels = page.evaluate(RENDER, options)
    assert levels[4 * 60] < 0.003
    assert levels[4 * 160] == pytest.approx(TONE_RMS, rel=0.2)


def test_the_gain_makes_louder(page: Page) -> None:
    levels = page.evaluate(RENDER, {"from": 0.5, "length": 0.2, "gain": 0.25})
    assert levels[10] == pytest.approx(TONE_RMS / 4, rel=0.05)


def play(page: Page, name: str = "a-000-11", **options: Any) -> None:
    page.evaluate(PLAY, [name, options])


@pytest.fixture
def listening_page(folder: Path, open_page: OpenPage) -> Page:
    page = open_page(folder / "map.html")
    page.add_init_script(LISTEN)
    page.reload()
    page.mouse.click(5, 5)
    return page


def test_it_really_plays_and_says_where_it_is(listening_page: Page) -> None:
    page = listening_page
    play(page, from_s=0.5, to_s=0.7, rate=0.02)
    wait_until(page, "birdmodes.player.currentTime > 0.51 && loudness() > 0.1")
    assert page.evaluate("birdmodes.player.playing")
    page.evaluate("birdmodes.player.stop()")
    play(page, from_s=0.5, to_s=0.7, rate=0.5)
    wait_until(page, "ended === 1")
    times = page.evaluate("times")
    assert times == sorted(times)
    assert 0.5 <= times[0] <= times[-1] <= 0.7
    assert page.evaluate("[birdmodes.player.playing, birdmodes.player.currentTime]") == [
        False,
        None,
    ]
    assert page.evaluate("problems") == []


def test_it_takes_as_long_as_the_stretch(listening_page: Page) -> None:
    page = listening_page
    play(page, from_s=1.0, to_s=1.5)
    begun = time.monotonic()
    wait_until(page, "ended === 1")
    assert time.monotonic() - begun > 0.4


def test_a_second_sound_ends_the_first_and_escape_ends_the_second(listening_page: Page) -> None:
    page = listening_page
    play(page, from_s=0.0, to_s=4.0, rate=0.25)
    wait_until(page, "times.length > 0")
    second = {"from_s": 4, "to_s": 8, "rate": 0.25}
    page.evaluate(PLAY.replace("globalThis.ended = 0;", ""), ["a-004-22", second])
    wait_until(page, "ended === 1 && birdmodes.player.currentTime > 4")
    page.keyboard.press("Escape")
    assert page.evaluate("[ended, birdmodes.player.playing]") == [2, False]
    page.evaluate("birdmodes.player.stop()")
    assert page.evaluate("ended") == 2


def test_what_is_outside_the_clip_is_left_out(page: Page) -> None:
    play(page, from_s=3.8, to_s=9.0, rate=1)
    wait_until(page, "ended === 1")
    times = page.evaluate("times")
    assert 3.8 <= times[0] <= times[-1] <= 4.0
    play(page, from_s=5.0, to_s=6.0)
    assert page.evaluate("[ended, problems.length]") == [1, 1]
    assert "not in the clip" in page.evaluate("problems[0]")


def test_problems_are_said_in_words(page: Page) -> None:
    play(page, from_s=0.0, to_s=1.0, clip={"sound": None, "start_s": 0, "end_s": 4})
    assert page.evaluate("ended") == 1
    assert "no sound for this clip" in page.evaluate("problems[0]")
    damaged = {"sound": "data:audio/mpeg;base64,AAAA", "start_s": 0, "end_s": 4}
    play(page, from_s=0.0, to_s=1.0, clip=damaged)
    wait_until(page, "ended === 1")
    assert "cannot be decoded" in page.evaluate("problems[0]")


def test_silence_that_the_encoder_put_first_is_skipped_where_the_browser_kept_it(
    page: Page,
) -> None:
    # a browser that keeps it, played by one that does not: the same sound, the tag not understood
    lead_s = page.evaluate(
        """async () => {
          const clip = await birdmodes.loadClip("a-000-11");
          const keeps = {
            decodeAudioData: async () => ({ duration: clip.end_s - clip.start_s + 0.1 }),
          };
          const other = clip.sound.replace("audio/mpeg", "audio/mp3"); // not known from before
          return (await birdmodes.player.decode({ ...clip, sound: other }, keeps)).lead_s;
        }"""
    )
    # LAME puts 576 samples first and every decoder delays by 529
    assert lead_s == pytest.approx((576 + 529) / made_gallery.RATE_HZ)
