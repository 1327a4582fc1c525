// Quiet sounds, made here by the Web Audio API: paper, wood and small bells.

const LOUDNESS = 0.16;

let audio = null; // a browser lets a page sound only after the first click or key
let noise = null;

/** There may be sounds from the first click or key on. */
export function awaitTouch() {
  const open = () => {
    removeEventListener("click", open, true);
    removeEventListener("keydown", open, true);
    if (!window.AudioContext) return;
    audio = new AudioContext();
    noise = audio.createBuffer(1, audio.sampleRate / 5, audio.sampleRate);
    noise.getChannelData(0).forEach((_, index, samples) => (samples[index] = 2 * Math.random() - 1));
  };
  addEventListener("click", open, true);
  addEventListener("keydown", open, true);
}

/** How loud a sound is over its time: up at once, then fading. */
function fading(at, seconds, loudness) {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(LOUDNESS * loudness, at + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  gain.connect(audio.destination);
  return gain;
}

function tone(at, frequency, seconds, loudness = 1, type = "sine") {
  const source = audio.createOscillator();
  source.type = type;
  source.frequency.value = frequency;
  source.connect(fading(at, seconds, loudness));
  source.start(at);
  source.stop(at + seconds);
}

function paper(at, loudness = 0.5) {
  const source = audio.createBufferSource();
  const filter = audio.createBiquadFilter();
  source.buffer = noise;
  filter.type = "bandpass";
  filter.frequency.setValueAtTime(3200, at);
  filter.frequency.exponentialRampToValueAtTime(900, at + 0.12);
  source.connect(filter).connect(fading(at, 0.13, loudness));
  source.start(at);
  source.stop(at + 0.14);
}

const wood = (at, loudness = 0.5) => tone(at, 420, 0.07, loudness, "triangle");

function bell(at, frequency, loudness = 0.6) {
  tone(at, frequency, 0.9, loudness);
  tone(at, 2.76 * frequency, 0.35, 0.2 * loudness);
}

const each = (count, gap, sound) => (at) => {
  for (let index = 0; index < count; index++) sound(at + index * gap);
};

/** By cue, what sounds; times are seconds on the clock of the audio. */
const SOUNDS = {
  deal: each(4, 0.08, paper),
  give: paper,
  turn: each(5, 0.09, paper),
  tick: wood,
  land: each(3, 0.09, wood),
  lift: (at) => bell(at, 523),
  hop: (at) => [392, 494, 587].forEach((frequency, index) => tone(at + 0.14 * index, frequency, 0.12, 0.4, "triangle")),
  face: (at) => tone(at, 880, 0.09, 0.35),
  mine: (at) => [659, 880].forEach((frequency, index) => bell(at + 0.16 * index, frequency)),
};

export function sound(cue) {
  if (audio?.state === "suspended") audio.resume();
  if (audio) SOUNDS[cue](audio.currentTime);
}
