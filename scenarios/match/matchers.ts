import { type Difference, differences, type Wanted } from './match.ts';

type Matcher = (wanted: unknown, actual: unknown, path: string) => Difference[];

const fail = (path: string, expected: string, actual: unknown): Difference[] => [{ path, expected, actual }];
const text = (value: unknown) => JSON.stringify(value);
const numeric = (holds: (actual: number, wanted: number) => boolean, word: string): Matcher => {
  return (wanted, actual, path) =>
    typeof actual === 'number' && holds(actual, Number(wanted))
      ? []
      : fail(path, `${word} ${wanted}`, actual);
};

/** What `{ a: … }` can ask for. */
export const typeNames = ['string', 'number', 'boolean', 'array', 'object', 'null'];

/** The words that say more than "equals". An object of nothing but these is a matcher. */
export const matchers: Record<string, Matcher> = {
  /** `{ absent: true }`: not there; `{ absent: false }`: there, whatever it is. */
  absent: (wanted, actual, path) =>
    (actual === undefined) === (wanted === true)
      ? []
      : fail(path, wanted === true ? 'nothing there' : 'something there', actual),
  /** A type: one of {@link typeNames}. */
  a: (wanted, actual, path) =>
    kindOf(actual) === wanted
      ? []
      : fail(path, `${/^[ao]/.test(String(wanted)) ? 'an' : 'a'} ${wanted}`, actual),
  /** A regular expression that the text matches somewhere. */
  matches: (wanted, actual, path) =>
    typeof actual === 'string' && new RegExp(String(wanted), 'u').test(actual)
      ? []
      : fail(path, `text that matches /${wanted}/`, actual),
  /** Text that has this in it, or a list with an element like this. */
  contains: (wanted, actual, path) => {
    if (typeof actual === 'string' && actual.includes(String(wanted))) return [];
    if (Array.isArray(actual) && actual.some((one) => differences(wanted, one).length === 0)) return [];
    return fail(path, `something that contains ${text(wanted)}`, actual);
  },
  above: numeric((actual, wanted) => actual > wanted, 'above'),
  below: numeric((actual, wanted) => actual < wanted, 'below'),
  atLeast: numeric((actual, wanted) => actual >= wanted, 'at least'),
  atMost: numeric((actual, wanted) => actual <= wanted, 'at most'),
  /** How long a text or list is; itself a number or a matcher. */
  length: (wanted, actual, path) =>
    typeof actual === 'string' || Array.isArray(actual)
      ? differences(wanted, actual.length, `${path}.length`)
      : fail(path, 'a text or a list', actual),
  oneOf: (wanted, actual, path) =>
    Array.isArray(wanted) && wanted.some((one) => differences(one, actual).length === 0)
      ? []
      : fail(path, `one of ${text(wanted)}`, actual),
  not: (wanted, actual, path) =>
    differences(wanted, actual).length > 0 ? [] : fail(path, `not ${text(wanted)}`, actual),
  /** Every element of a list. */
  each: (wanted, actual, path) =>
    Array.isArray(actual)
      ? actual.flatMap((one, index) => differences(wanted as Wanted, one, `${path}.${index}`))
      : fail(path, 'a list', actual),
  /** Equal through and through: nothing more may be there. */
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
