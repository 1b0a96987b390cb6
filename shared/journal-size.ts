/**
 * The maximum sizes, in bytes, of the kept part of an entry: for one field, such as a body, and for all fields together
 * (B125).
 */
const longestField = 100_000;
const longestEntry = 200_000;
/** The maximum depth of nesting at which a value is still measured. */
const mostDepth = 64;
const shortText = 64;
/** The bytes that an entry takes besides its data. */
const overhead = 200;

/**
 * A body as text, and the function that turns the text into what the journal shows. Without a function, the text is
 * parsed as JSON.
 */
export interface ReadableBodyText {
  readonly text: string;
  readonly read?: (text: string) => unknown;
  /** The length in bytes, if it is known. */
  readonly bytes?: number;
}

/** Returns the body unchanged if it is short enough. Otherwise returns the beginning of the body. */
export function fitBody({
  text,
  read = readJson,
  bytes = sizeOfText(text),
}: ReadableBodyText): Required<ReadableBodyText> {
  if (bytes <= longestField) return { text, read, bytes };
  const beginning = cut(text, longestField);
  return { text: beginning, read: (cut) => cut, bytes: sizeOfText(beginning) };
}

function readJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * Returns an entry's data without the body, and the number of bytes that they take. If the data are too long, later
 * fields are cut or left out. Whole fields are left out only if the data come from another process, because only such
 * data can have too many fields.
 */
export function fitEntryData<Data extends object>(given: Data): { given: Data; bytes: number } {
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
  const beginning = bytes.subarray(0, most).toString();
  return `${withoutNumberAtEnd(beginning)}… (cut: ${bytes.length} bytes in all)`;
}

/**
 * Removes everything after the last letter that is not part of a percent-encoded character. A card number at the end may
 * be cut in the middle, and a part of a card number would not be recognised and masked (B126). It is not enough to
 * remove the last digits, because spaces or dashes, also percent-encoded, may stand between the digits.
 */
function withoutNumberAtEnd(text: string): string {
  let end = text.length;
  while (
    end > 0 &&
    (/\P{L}/u.test(text[end - 1] ?? '') || text.slice(Math.max(0, end - 3), end - 1).includes('%'))
  )
    end--;
  return text.slice(0, end);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // the value contains itself
  }
}

/** Returns roughly how many bytes a value takes, or infinity if the value is nested too deep. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null) return 8;
  if (depth === mostDepth) return Number.POSITIVE_INFINITY;
  let size = 16;
  for (const name in value) {
    size += 8 + name.length + sizeOf((value as Record<string, unknown>)[name], depth + 1);
    if (size === Number.POSITIVE_INFINITY) return size;
  }
  return size;
}

/**
 * Estimates the size of a text in bytes. For a short text, the estimate is the most that the text can take in memory,
 * because a slow call into native code would be needed for the exact size.
 */
function sizeOfText(text: string): number {
  return text.length < shortText ? 2 * text.length : Buffer.byteLength(text);
}
