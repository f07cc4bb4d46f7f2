// What the scripts of the gallery share. They are plain scripts without modules, each in a block of
// its own; what one gives to others lies in `birdmodes`, what the gallery's data files give lies in
// `birdmodesData`. The comment at the head of each script says what its part of this means.

interface Mode {
  cluster: number;
  species: string;
  mode: string;
  name: string;
  heading: string;
  kind: "mode" | "background" | "unassigned";
  page: string;
  syllables: number;
  recordings: number;
  confidence: number | null;
  letter: string;
  title: string;
  words: string;
  sure: string;
  reasons: string[];
  pitch_hz: number | null;
  duration_s: number | null;
  examples: string[];
}

interface ClipEntry {
  name: string;
  recording: number;
  start_s: number;
  end_s: number;
  media: boolean;
  group?: number | null;
}

interface Gallery {
  clustering: string;
  base: string;
  nyquist_hz: number;
  species: { name: string; page: string; others?: string[] }[];
  modes: Mode[];
  recordings: string[];
  lists?: { names: string[]; of: (number[] | null)[] };
  clips: ClipEntry[];
  groups: { group: number; name: string; page: string }[];
  label_next: number[];
  set_aside?: Record<string, number>;
  thumbs: { width: number; height: number; columns: number; per_sheet: number; sheets: string[] };
  map: { method: string; explained: number[] | null; features: string };
}

interface Syllables {
  recording: number[];
  number: number[];
  clip: number[];
  start_s: number[];
  end_s: number[];
  low_hz: number[];
  high_hz: number[];
  cluster: number[];
  confidence: number[];
  review: string[];
  x: number[];
  y: number[];
  sub: Record<string, number[]>;
}

interface Clip {
  start_s: number;
  end_s: number;
  sound: string | null;
  slowed?: number;
  picture: Picture | null;
  numbers: number[];
  places: [number, number][];
  outlines: string[];
  gains?: number[];
}

interface Picture {
  file: string;
  width: number;
  height: number;
  first_s: number;
  frame_s: number;
  first_hz: number;
  bin_hz: number;
}

/** One correction; which of the parts there are depends on the action, see docs/review.md. */
interface Edit {
  id: string;
  at: string;
  action: "rename" | "species" | "merge" | "split" | "new-mode" | "move" | "mark" | "add-box" | "mend-box" | "cut" | "join" | "discard";
  recording?: string;
  syllable?: string;
  start_s?: number;
  end_s?: number;
  low_hz?: number;
  high_hz?: number;
  at_s?: number;
  cluster?: number;
  clusters?: number[];
  groups?: string[][];
  new_clusters?: number[];
  syllables?: string[];
  species?: string;
  name?: string;
  as?: "good" | "noise" | "not-species" | "none";
}

interface Birdmodes {
  root: string;
  readonly calm: boolean;
  url(address: string): string;
  loadScript(address: string): Promise<void>;
  loadClip(name: string): Promise<Clip>;
  loadSyllables(): Promise<Syllables>;
  syllableId(row: number): string;
  rowOf(id: string): number;
  nKnown(): number;
  addRow(columns: Record<string, number | string>): number;
  boxEdits: any;
  syllableBoxes?: any;
  colour(name: string): string;
  // Of the window's pages.
  app: any;
  // Given by one script each; those of the review are missing where nobody has looked for modes.
  pictures: any;
  spectrogram: any;
  player: any;
  LabelPicture: any;
  ListedSpecies: any;
  SyllableFacts: any;
  SyllablePlot: any;
  SyllableSound: any;
  windowed: any;
  mapColours: any;
  MapCloud: any;
  MapFilters: any;
  mapGestures: any;
  MapLegend: any;
  mapNames: any;
  mapPanels: any;
  MapSound: any;
  map: any;
  edits: any;
  review: any;
  reviewDialogs: any;
  reviewDom: any;
  reviewName: any;
  reviewPage: any;
  reviewPanel: any;
  reviewState: any;
  ReviewStore: any;
}

interface BirdmodesData {
  gallery: Gallery;
  syllables: Syllables;
  clips: Record<string, Clip>;
  examples: Record<string, Example>;
}

/** Small picture of an example; without a clip it has no sound. */
interface Example {
  recording: string;
  label: string;
  picture: string;
  crop: number;
  box: [number, number, number, number];
  start_s: number;
  width_s: number;
  clip?: string;
  gain?: number;
  low_hz?: number;
  high_hz?: number;
  from_s?: number;
  to_s?: number;
}

declare var birdmodes: Birdmodes;
declare var birdmodesData: BirdmodesData;

// Which kind of element an id or a selector stands for is decided in the templates, which no
// checker of scripts reads; the tests in a browser find what does not fit.
interface Document {
  getElementById(id: string): any;
}
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface Element {
  closest(selectors: string): any;
}
