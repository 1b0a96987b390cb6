/** The most that is kept of one field of an entry, such as a body, and of all fields of one (B125). */
const longestField = 100_000;
const longestEntry = 200_000;
/** Nothing is followed deeper to see how long it is. */
const deepest = 64;
const shortText = 64;
/** Bytes an entry takes besides its data. */
const overhead = 200;

/** A body as text, and what makes of it what the journal shows; JSON when absent. */
export interface BodyText {
  readonly text: string;
  readonly read?: (text: string) => unknown;
  /** How long it is, where that is known. */
  readonly bytes?: number;
}

/** The body itself where it is short enough, otherwise its beginning. */
export function fittingBody({
  text,
  read = readJson,
  bytes = sizeOfText(text),
}: BodyText): Required<BodyText> {
  if (bytes <= longestField) return { text, read, bytes };
  const beginning = cut(text, longestField);
  return { text: beginning, read: (cut) => cut, bytes: sizeOfText(beginning) };
}

function readJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * An entry's data and how many bytes it takes, without its body. What is too long is cut, in the order of the fields;
 * only what came from another process has as many fields as could be too many.
 */
export function fittingData<Data extends object>(given: Data): { given: Data; bytes: number } {
  const bytes = sizeOf(given);
  if (bytes <= longestField) return { given, bytes: overhead + bytes };
  const kept: Record<string, unknown> = {};
  let left = longestEntry;
  for (const [name, value] of Object.entries(given)) {
    left -= sizeOfText(name);
    if (left <= 0) break;
    const most = Math.min(longestField, left);
    const fitting = sizeOf(value) <= most ? value : cut(textOf(value), most);
    left -= sizeOf(fitting);
    kept[name] = fitting;
  }
  return { given: kept as Data, bytes: overhead + sizeOf(kept) };
}

function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return `${withoutLastDigits(bytes.subarray(0, most).toString())}… (cut: ${bytes.length} bytes in all)`;
}

/** A card number that is cut in the middle would not be known for one, and so not be masked (B126). */
function withoutLastDigits(text: string): string {
  let end = text.length;
  while (end > 0 && /\P{L}/u.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // nested without end
  }
}

/** About as many bytes as a value takes; without end where it is nested too deep. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null) return 8;
  if (depth === deepest) return Number.POSITIVE_INFINITY;
  let size = 16;
  for (const name in value) {
    size += 8 + name.length + sizeOf((value as Record<string, unknown>)[name], depth + 1);
    if (size === Number.POSITIVE_INFINITY) return size;
  }
  return size;
}

/** A short one is not worth the way into native code: what it takes in memory at most is exact enough. */
function sizeOfText(text: string): number {
  return text.length < shortText ? 2 * text.length : Buffer.byteLength(text);
}
