// A clip's spectrogram with another window, made here from its sound.
//
// birdmodes.windowed(clip, window_ms)   promise of a picture like clip.picture, with its
//                                       address in `url`
//
// Drawn as the gallery's own pictures are: decibels above the median of each frequency; what is no louder
// than that by 8 dB stays paper, and black is where the loudest hundredth of the frames begins.
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const PAPER_DB = 8;
  const RANGE_DB = 24;
  const FAINTEST_DB = 16;
  const DEPTH_DB = 40;
  const HOP_SHARE = 4; // of a window
  const LEAST_HOP_S = 0.003;
  const KEPT = 8;
  const RATE_HZ = 48000; // of what is not decoded yet

  const made = new Map();

  // In place, radix 2.
  function transform(re, im) {
    const n = re.length;
    for (let i = 1, j = 0; i < n; i++) {
      let bit = n >> 1;
      for (; j & bit; bit >>= 1) {
        j ^= bit;
      }
      j ^= bit;
      if (i < j) {
        [re[i], re[j]] = [re[j], re[i]];
        [im[i], im[j]] = [im[j], im[i]];
      }
    }
    for (let size = 2; size <= n; size *= 2) {
      const half = size / 2;
      for (let k = 0; k < half; k++) {
        const cos = Math.cos((-2 * Math.PI * k) / size);
        const sin = Math.sin((-2 * Math.PI * k) / size);
        for (let at = k; at < n; at += size) {
          const other = at + half;
          const x = re[other] * cos - im[other] * sin;
          const y = re[other] * sin + im[other] * cos;
          re[other] = re[at] - x;
          im[other] = im[at] - y;
          re[at] += x;
          im[at] += y;
        }
      }
    }
  }

  function levels(samples, rate, window_s, highest_hz) {
    const length = Math.round(window_s * rate);
    const size = 2 ** Math.ceil(Math.log2(Math.max(length, 512)));
    const hop = Math.max(1, Math.round(Math.max(window_s / HOP_SHARE, LEAST_HOP_S) * rate));
    const columns = Math.max(0, Math.floor((samples.length - length) / hop) + 1);
    const rows = Math.min(size / 2, Math.round((highest_hz * size) / rate));
    const level = new Float32Array(rows * columns);
    const hann = Float64Array.from({ length }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length));
    const re = new Float64Array(size);
    const im = new Float64Array(size);
    for (let column = 0; column < columns; column++) {
      re.fill(0);
      im.fill(0);
      for (let n = 0; n < length; n++) {
        re[n] = samples[column * hop + n] * hann[n];
      }
      transform(re, im);
      for (let row = 0; row < rows; row++) {
        level[row * columns + column] = 10 * Math.log10(re[row] ** 2 + im[row] ** 2 + 1e-12);
      }
    }
    const lines = Array.from({ length: rows }, (_, row) => level.subarray(row * columns, (row + 1) * columns));
    const medians = lines.map((line) => Float32Array.from(line).sort()[columns >> 1]);
    // What compression has left out is no noise to compare with.
    const floor = Math.max(...medians) - DEPTH_DB;
    lines.forEach((line, row) => {
      const noise = Math.max(medians[row], floor);
      line.forEach((value, at) => {
        line[at] = value - noise;
      });
    });
    return { level, rows, columns, hop_s: hop / rate, bin_hz: rate / size, first_s: length / 2 / rate };
  }

  function draw({ level, rows, columns }) {
    const peaks = new Float32Array(columns);
    for (let at = 0; at < level.length; at++) {
      peaks[at % columns] = Math.max(peaks[at % columns], level[at]);
    }
    const black = Math.max(peaks.sort()[Math.floor(0.9 * (columns - 1))] - 1, FAINTEST_DB);
    const paper = Math.max(PAPER_DB, black - RANGE_DB);
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(columns, rows);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const share = (level[(rows - 1 - row) * columns + column] - paper) / (black - paper);
        const at = 4 * (row * columns + column);
        image.data.fill(255 * (1 - Math.min(Math.max(share, 0), 1)), at, at + 3);
        image.data[at + 3] = 255;
      }
    }
    pen.putImageData(image, 0, 0);
    return canvas.toDataURL();
  }

  async function windowed(clip, window_ms) {
    const key = `${clip.picture.file} ${window_ms}`;
    const kept = made.get(key);
    if (kept) {
      return kept;
    }
    const { height, bin_hz, first_hz } = clip.picture;
    const highest_hz = first_hz + (height - 0.5) * bin_hz;
    const { slowed = 1 } = clip;
    const audio = new OfflineAudioContext(1, 1, RATE_HZ);
    const { buffer, lead_s } = await birdmodes.player.decode(clip, audio);
    const rate = buffer.sampleRate;
    const samples = buffer.getChannelData(0).subarray(Math.round(lead_s * rate));
    const found = levels(samples, rate * slowed, window_ms / 1000, highest_hz);
    const picture = {
      url: draw(found),
      width: found.columns,
      height: found.rows,
      first_s: found.first_s,
      frame_s: found.hop_s,
      first_hz: 0,
      bin_hz: found.bin_hz,
    };
    made.set(key, picture);
    if (made.size > KEPT) {
      made.delete(made.keys().next().value);
    }
    return picture;
  }

  birdmodes.windowed = windowed;
})();
