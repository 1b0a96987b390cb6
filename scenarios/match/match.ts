import { matchers, typeNames } from './matchers.ts';

/** What is expected: plain values, objects of which each field given must fit, lists, and matchers. */
export type Wanted = unknown;

/** One place where what is differs from what was expected. */
export interface Difference {
  /** Dotted, with indices: body.response.result */
  readonly path: string;
  /** In words, or the value itself as JSON. */
  readonly expected: string;
  /** Undefined: nothing is there. */
  readonly actual: unknown;
  /** The whole of it in words, where that says more than expected and actual. */
  readonly text?: string;
}

/** Stands in place of an expected value and compares by itself. */
export abstract class Comparison {
  abstract readonly differences: (actual: unknown, path: string) => Difference[];
}

/**
 * Where `actual` is not as `wanted`, empty when it fits. Objects are compared field by field, and fields not
 * mentioned do not matter; lists have exactly the elements given. An object of matcher words (`{ above: 5 }`,
 * `{ matches: "^4" }`, `{ absent: true }`) is a matcher.
 */
export function differences(wanted: Wanted, actual: unknown, path = ''): Difference[] {
  if (wanted instanceof Comparison) return wanted.differences(actual, path);
  if (isMatcher(wanted))
    return Object.entries(wanted).flatMap(([word, value]) => matchers[word]?.(value, actual, path) ?? []);
  if (Array.isArray(wanted)) return listDifferences(wanted, actual, path);
  if (wanted && typeof wanted === 'object') return fieldDifferences(wanted, actual, path);
  return Object.is(wanted, actual) ? [] : [{ path, expected: JSON.stringify(wanted), actual }];
}

/** Whether an object is made of nothing but words of {@link matchers}. */
export function isMatcher(wanted: unknown): wanted is Record<string, unknown> {
  if (!wanted || typeof wanted !== 'object' || Array.isArray(wanted)) return false;
  const words = Object.keys(wanted);
  if ('a' in wanted && !typeNames.includes(wanted.a as string)) return false; // a field that is called so
  return words.length > 0 && words.every((word) => Object.hasOwn(matchers, word));
}

function listDifferences(wanted: unknown[], actual: unknown, path: string): Difference[] {
  if (!Array.isArray(actual) || actual.length !== wanted.length)
    return [{ path, expected: `a list of ${wanted.length}: ${JSON.stringify(wanted)}`, actual }];
  return wanted.flatMap((one, index) => differences(one, actual[index], join(path, String(index))));
}

function fieldDifferences(wanted: object, actual: unknown, path: string): Difference[] {
  if (!actual || typeof actual !== 'object')
    return [{ path, expected: `an object like ${JSON.stringify(wanted)}`, actual }];
  return Object.entries(wanted).flatMap(([field, value]) =>
    differences(value, (actual as Record<string, unknown>)[field], join(path, field)),
  );
}

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** `body.response.result: expected "success", was "failure"` */
export function explainDifference({ path, expected, actual, text }: Difference): string {
  if (text !== undefined) return text;
  const was = actual === undefined ? 'nothing is there' : `was ${shortened(JSON.stringify(actual))}`;
  return `${path === '' ? '' : `${path}: `}expected ${expected}, ${was}`;
}

function shortened(json: string): string {
  return json.length <= 300 ? json : `${json.slice(0, 297)}…`;
}
