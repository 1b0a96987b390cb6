/** An expected value. It is a plain value, an object whose given fields must all fit, a list, or a matcher. */
export type ExpectedValue = unknown;

/** One place where the actual value differs from the expected one. */
export interface Mismatch {
  /** The path to the place, such as `body.response.result`; a list element is named by its index. */
  readonly path: string;
  /** The expectation in words, or the value itself as JSON. */
  readonly expected: string;
  /** The actual value; undefined if there is none. */
  readonly actual: unknown;
  /** If a field is missing: the names of the fields that the object has. */
  readonly there?: readonly string[];
  /** The whole difference in words. Absent if `expected` and `actual` say enough. */
  readonly text?: string;
}

/** A comparison that stands in place of an expected value. */
export abstract class ValueMatcher {
  abstract readonly differences: (actual: unknown, path: string) => Mismatch[];
}

/**
 * Returns the differences between `actual` and `wanted`; none if `actual` fits. Objects are compared field by field,
 * and fields that `wanted` does not have are ignored. Lists must have exactly the elements in `wanted`. An object of
 * matcher words (`{ above: 5 }`, `{ matches: "^4" }`, `{ absent: true }`) is a matcher.
 *
 * @example
 * const found = differences({ amount: { above: 5 } }, { amount: 3, currency: 'EUR' });
 * console.log(found.map(explainDifference).join('\n'));
 */
export function differences(wanted: ExpectedValue, actual: unknown, path = ''): Mismatch[] {
  if (wanted instanceof ValueMatcher) return wanted.differences(actual, path);
  if (isMatcherObject(wanted))
    return Object.entries(wanted).flatMap(([word, value]) => matchers[word]?.(value, actual, path) ?? []);
  if (Array.isArray(wanted)) return listDifferences(wanted, actual, path);
  if (wanted && typeof wanted === 'object') return fieldDifferences(wanted, actual, path);
  return Object.is(wanted, actual) ? [] : [{ path, expected: JSON.stringify(wanted), actual }];
}

/** Whether an object consists only of words of {@link matchers}. */
export function isMatcherObject(wanted: unknown): wanted is Record<string, unknown> {
  if (!wanted || typeof wanted !== 'object' || Array.isArray(wanted)) return false;
  const words = Object.keys(wanted);
  // if `a` names no type, the object is not a matcher: it has a field with the name `a`
  if ('a' in wanted && !typeNames.includes(wanted.a as string)) return false;
  return words.length > 0 && words.every((word) => Object.hasOwn(matchers, word));
}

function listDifferences(wanted: unknown[], actual: unknown, path: string): Mismatch[] {
  if (!Array.isArray(actual) || actual.length !== wanted.length)
    return [{ path, expected: `a list of ${wanted.length}: ${JSON.stringify(wanted)}`, actual }];
  return wanted.flatMap((one, index) => differences(one, actual[index], join(path, String(index))));
}

function fieldDifferences(wanted: object, actual: unknown, path: string): Mismatch[] {
  if (!actual || typeof actual !== 'object')
    return [{ path, expected: `an object like ${JSON.stringify(wanted)}`, actual }];
  const there = Object.keys(actual);
  return Object.entries(wanted).flatMap(([field, value]) => {
    const found = differences(value, (actual as Record<string, unknown>)[field], join(path, field));
    return there.includes(field) ? found : found.map((difference) => ({ there, ...difference }));
  });
}

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/**
 * Describes a difference in one line: `body.response.result: expected "success", was "failure"`.
 *
 * @example
 * const [first] = differences({ result: 'success' }, { result: 'failure' });
 * if (first) console.log(explainDifference(first)); // result: expected "success", was "failure"
 */
export function explainDifference({ path, expected, actual, there = [], text }: Mismatch): string {
  if (text !== undefined) return text;
  const beside = there.length > 0 ? shortened(` beside ${there.join(', ')}`) : '';
  const was = actual === undefined ? `nothing is there${beside}` : `was ${shortened(JSON.stringify(actual))}`;
  return `${path === '' ? '' : `${path}: `}expected ${expected}, ${was}`;
}

const explained =
  /^(?:(?<path>.+?): )?expected (?<expected>.+), (?:was (?<was>.+?)|(?<nothing>nothing is there.*?))(?<waited> \(waited .+\))?$/;

/** Splits a line of {@link explainDifference} into its parts. Returns undefined for any other line. */
export function parseDifferenceLine(line: string) {
  const { path = '', expected = '', was, nothing = '', waited = '' } = explained.exec(line)?.groups ?? {};
  return expected === '' ? undefined : { path, expected, actual: was ?? nothing, waited: waited.trim() };
}

function shortened(json: string): string {
  return json.length <= 300 ? json : `${json.slice(0, 297)}…`;
}

type Matcher = (wanted: unknown, actual: unknown, path: string) => Mismatch[];

const fail = (path: string, expected: string, actual: unknown): Mismatch[] => [{ path, expected, actual }];
const text = (value: unknown) => JSON.stringify(value);
const numeric = (holds: (actual: number, wanted: number) => boolean, word: string): Matcher => {
  return (wanted, actual, path) =>
    typeof actual === 'number' && holds(actual, Number(wanted))
      ? []
      : fail(path, `${word} ${wanted}`, actual);
};

/** The types that `{ a: … }` can name. */
const typeNames = ['string', 'number', 'boolean', 'array', 'object', 'null'];

/** The matcher words. They can express more than equality. An object that has only such words is a matcher. */
const matchers: Record<string, Matcher> = {
  /** `{ absent: true }` means that the field is missing. `{ absent: false }` means that the field has any value. */
  absent: (wanted, actual, path) =>
    (actual === undefined) === (wanted === true)
      ? []
      : fail(path, wanted === true ? 'nothing there' : 'something there', actual),
  /** The value has the given type, which is one of {@link typeNames}. */
  a: (wanted, actual, path) =>
    kindOf(actual) === wanted
      ? []
      : fail(path, `${/^[ao]/.test(String(wanted)) ? 'an' : 'a'} ${wanted}`, actual),
  /** The regular expression matches somewhere in the text. */
  matches: (wanted, actual, path) =>
    typeof actual === 'string' && new RegExp(String(wanted), 'u').test(actual)
      ? []
      : fail(path, `text that matches /${wanted}/`, actual),
  /** The text contains the given text, or the list has an element that fits the given value. */
  contains: (wanted, actual, path) => {
    if (typeof actual === 'string' && actual.includes(String(wanted))) return [];
    if (Array.isArray(actual) && actual.some((one) => differences(wanted, one).length === 0)) return [];
    return fail(path, `something that contains ${text(wanted)}`, actual);
  },
  above: numeric((actual, wanted) => actual > wanted, 'above'),
  below: numeric((actual, wanted) => actual < wanted, 'below'),
  atLeast: numeric((actual, wanted) => actual >= wanted, 'at least'),
  atMost: numeric((actual, wanted) => actual <= wanted, 'at most'),
  /** The text or the list has the given length. The length is a number or a matcher. */
  length: (wanted, actual, path) =>
    typeof actual === 'string' || Array.isArray(actual)
      ? differences(wanted, actual.length, `${path}.length`)
      : fail(path, 'a string or a list', actual),
  oneOf: (wanted, actual, path) =>
    Array.isArray(wanted) && wanted.some((one) => differences(one, actual).length === 0)
      ? []
      : fail(path, `one of ${text(wanted)}`, actual),
  not: (wanted, actual, path) =>
    differences(wanted, actual).length > 0 ? [] : fail(path, `not ${text(wanted)}`, actual),
  /** Every element of the list fits the given value. */
  each: (wanted, actual, path) =>
    Array.isArray(actual)
      ? actual.flatMap((one, index) => differences(wanted as ExpectedValue, one, `${path}.${index}`))
      : fail(path, 'a list', actual),
  /** The value is equal in every part. An object has no fields besides the given ones. */
  exactly: (wanted, actual, path) =>
    sorted(wanted) === sorted(actual) ? [] : fail(path, `exactly ${text(wanted)}`, actual),
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
