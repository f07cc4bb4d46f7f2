// Plays a stretch of a clip, one at a time: exact to the sample, slowed down, or only a band of it.
//
// birdmodes.player.play({ clip, from_s, to_s, band, rate, gain, onTime, onEnd, onProblem })
//   clip       as in clips/<clip>.js; its sound begins at clip.start_s, and takes clip.slowed times as
//              long as the clip: ultrasound, that many times lower
//   from_s, to_s   seconds of the recording; what is outside the clip is left out
//   band       [low_hz, high_hz], or null for all frequencies
//   rate       1, 0.5 or 0.25; the pitch goes down with it, so that fast notes can be heard apart
//   gain       1 unless given
//   onTime(time_s)   where in the recording the sound is, once per frame of the screen
//   onEnd()          once, however it ends: by itself, by stop(), by another play() or a problem
//   onProblem(text)  in words, before onEnd
// birdmodes.player.stop(), .playing (true or false), .currentTime (seconds of the recording or null)
//
// The whole clip is decoded, not streamed through an <audio> element: starts and ends are exact,
// and it works from file://, where browsers keep the sound of media elements from filters.
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  // Q in decibels of the four second-order sections that make an eighth-order Butterworth filter
  // (48 dB per octave): what sings half an octave away is already 24 dB lower.
  const SECTIONS_DB = [0.5098, 0.6013, 0.9, 2.5629].map((q) => 20 * Math.log10(q));
  const BAND_ROOM = 0.1; // part of its edges by which the band is wider than the syllable
  const FADE_S = 0.004; // against clicks
  const PATIENCE_MS = 3000;
  const KEPT = 6; // decoded clips: about 2 MB each

  const decoded = new Map();
  let context = null;
  let current = null;

  function bytesOf(address) {
    const text = atob(address.slice(address.indexOf(",") + 1));
    return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  }

  // MP3 encoders put some silence first. Most browsers drop it; where one has not, the sound is
  // longer than the clip, and the number of samples is in the encoder's tag ("LAME" + 21 bytes).
  function silence(bytes, sound_s, clip_s, sampleRate) {
    if (sound_s - clip_s < 0.015) {
      return 0;
    }
    const head = String.fromCharCode(...bytes.subarray(0, 256));
    const tag = head.indexOf("LAME");
    if (tag < 0) {
      return 0;
    }
    const decoderSamples = 529;
    const encoderSamples = (bytes[tag + 21] << 4) | (bytes[tag + 22] >> 4);
    return (encoderSamples + decoderSamples) / sampleRate;
  }

  // Sampling rate of the file itself; the decoded sound has the rate of the sound card.
  function fileRate(bytes) {
    const first = bytes.findIndex((byte, at) => byte === 0xff && (bytes[at + 1] & 0xe0) === 0xe0);
    const version = (bytes[first + 1] >> 3) & 3;
    const rate = [44100, 48000, 32000][(bytes[first + 2] >> 2) & 3];
    return rate / { 3: 1, 2: 2, 0: 4 }[version];
  }

  async function decode(clip, audio) {
    const kept = decoded.get(clip.sound);
    if (kept) {
      return kept;
    }
    const bytes = bytesOf(clip.sound);
    const buffer = await audio.decodeAudioData(bytes.slice().buffer);
    const clip_s = clip.end_s - clip.start_s;
    const slowed = clip.slowed ?? 1;
    const lead_s = silence(bytes, buffer.duration, clip_s * slowed, fileRate(bytes));
    const sound = { buffer, lead_s, slowed };
    decoded.set(clip.sound, sound);
    if (decoded.size > KEPT) {
      decoded.delete(decoded.keys().next().value);
    }
    return sound;
  }

  function bandPass(audio, input, band, rate) {
    const highest = audio.sampleRate / 2;
    /** @type {[BiquadFilterType, number][]} */
    const sides = [
      ["highpass", band[0] * (1 - BAND_ROOM) * rate],
      ["lowpass", band[1] * (1 + BAND_ROOM) * rate],
    ];
    const edges = sides.filter(([, edge_hz]) => edge_hz > 0 && edge_hz < highest);
    let last = input;
    for (const [type, frequency] of edges) {
      for (const Q of SECTIONS_DB) {
        const filter = new BiquadFilterNode(audio, { type, frequency, Q });
        last = last.connect(filter);
      }
    }
    return last;
  }

  // Lays out nodes that play a stretch of a decoded sound; starts and lengths are in seconds of the
  // recording.
  function arrange(audio, sound, { from, length, band, rate, gain, at }) {
    const { slowed = 1 } = sound;
    const source = new AudioBufferSourceNode(audio, { buffer: sound.buffer, playbackRate: rate });
    const end_at = at + (length * slowed) / rate;
    const fade = Math.min(FADE_S, (end_at - at) / 2);
    const edges = new GainNode(audio, { gain: 0 });
    edges.gain.setValueAtTime(0, at);
    edges.gain.linearRampToValueAtTime(1, at + fade);
    edges.gain.setValueAtTime(1, end_at - fade);
    edges.gain.linearRampToValueAtTime(0, end_at);
    const volume = new GainNode(audio, { gain });
    // The band is filtered after slowing down, where its frequencies are lower.
    const heard = band ? bandPass(audio, source, band, rate / slowed) : source;
    heard.connect(edges).connect(volume).connect(audio.destination);
    source.start(at, sound.lead_s + from * slowed, length * slowed);
    source.stop(end_at);
    return { source, volume };
  }

  async function ready() {
    context ??= new AudioContext();
    const late = new Promise((done) => setTimeout(done, PATIENCE_MS));
    await Promise.race([context.resume(), late]);
    if (context.state !== "running") {
      throw new Error("silent");
    }
    return context;
  }

  function problemOf(options) {
    const { clip, from_s, to_s } = options;
    if (!clip?.sound) {
      return "There is no sound for this clip: its recording was not available, or the sounds were left out for size.";
    }
    if (!(Math.min(to_s, clip.end_s) > Math.max(from_s, clip.start_s))) {
      return "There is nothing to play: this stretch is not in the clip.";
    }
    return null;
  }

  function end(run) {
    if (current !== run) {
      return;
    }
    current = null;
    if (run.source) {
      run.source.onended = null;
      run.source.stop();
      run.volume.disconnect();
    }
    run.options.onEnd?.();
  }

  function timeOf(run) {
    if (!run?.source) {
      return null;
    }
    // What is heard lags behind what is computed, for wireless headphones by a lot.
    const passed_s = context.currentTime - run.at - (context.outputLatency || 0);
    return Math.min(run.from_s + Math.max(passed_s, 0) * run.rate, run.to_s);
  }

  function follow(run) {
    if (current === run) {
      run.options.onTime?.(timeOf(run));
      requestAnimationFrame(() => follow(run));
    }
  }

  function stop() {
    if (current) {
      end(current);
    }
  }

  async function play(options) {
    stop();
    const run = { options };
    current = run;
    const trouble = (text) => {
      if (current === run) {
        options.onProblem?.(text);
        end(run);
      }
    };
    const problem = problemOf(options);
    if (problem) {
      trouble(problem);
      return;
    }
    let audio, sound;
    try {
      audio = await ready();
    } catch {
      trouble("The browser gives no sound: click on the page and try again, and see that loudspeakers or headphones are connected.");
      return;
    }
    try {
      sound = await decode(options.clip, audio);
    } catch {
      trouble("This clip's sound cannot be decoded: its file is damaged, or this browser cannot play MP3. Build the gallery again, or try another browser.");
      return;
    }
    if (current === run) {
      start(run, audio, sound);
    }
  }

  function start(run, audio, sound) {
    const { clip, from_s, to_s, band = null, rate = 1, gain = 1 } = run.options;
    run.from_s = Math.max(from_s, clip.start_s);
    run.to_s = Math.min(to_s, clip.end_s);
    run.rate = rate / sound.slowed; // of the recording's time
    run.at = audio.currentTime + 0.01; // a moment for the nodes to be set up
    const place = { from: run.from_s - clip.start_s, length: run.to_s - run.from_s };
    Object.assign(run, arrange(audio, sound, { ...place, band, rate, gain, at: run.at }));
    run.source.onended = () => end(run);
    follow(run);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      stop();
    }
  });

  birdmodes.player = {
    play,
    stop,
    get playing() {
      return current !== null;
    },
    get currentTime() {
      return timeOf(current);
    },
    decode,
    arrange,
  };
})();
