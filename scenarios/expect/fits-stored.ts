import { differences, isMatcherObject } from './match.ts';

/**
 * Whether a value equals the stored value exactly. In a place where the stored value has a matcher, the value only
 * has to fit the matcher.
 */
export function fitsStored(stored: unknown, actual: unknown): boolean {
  if (isMatcherObject(stored)) return differences(stored, actual).length === 0;
  if (Array.isArray(stored) && Array.isArray(actual))
    return stored.length === actual.length && stored.every((one, index) => fitsStored(one, actual[index]));
  if (isObject(stored) && isObject(actual)) {
    const fields = new Set([...Object.keys(stored), ...Object.keys(actual)]);
    return [...fields].every((field) => fitsStored(stored[field], actual[field]));
  }
  return Object.is(stored, actual);
}

/**
 * Returns a copy of the actual value. If the stored value contains a matcher that still fits, the copy contains this
 * matcher at the same place.
 */
export function keepStoredMatchers(stored: unknown, actual: unknown): unknown {
  if (isMatcherObject(stored)) return fitsStored(stored, actual) ? stored : masked(actual);
  if (Array.isArray(stored) && Array.isArray(actual))
    return actual.map((one, index) => keepStoredMatchers(stored[index], one));
  if (isObject(stored) && isObject(actual))
    return mapped(actual, (one, field) => keepStoredMatchers(stored[field], one));
  return Object.is(stored, actual) ? actual : masked(actual);
}

/**
 * Returns a copy of the stored value. Each stored matcher that fits is replaced by the actual value. So a comparison of
 * the copy with the actual value shows only real differences.
 */
export function fillFittingMatchers(stored: unknown, actual: unknown): unknown {
  if (isMatcherObject(stored)) return fitsStored(stored, actual) ? actual : stored;
  if (Array.isArray(stored) && Array.isArray(actual))
    return stored.map((one, index) => fillFittingMatchers(one, actual[index]));
  if (isObject(stored) && isObject(actual))
    return mapped(stored, (one, field) => fillFittingMatchers(one, actual[field]));
  return stored;
}

const identifierOrTime = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/** Replaces identifiers and times with a matcher that fits any text, because they are different in other runs. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return identifierOrTime.test(value) ? { a: 'string' } : value;
  if (Array.isArray(value)) return value.map(masked);
  return isObject(value) ? mapped(value, masked) : value;
}

function mapped(
  fields: Record<string, unknown>,
  change: (value: unknown, field: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, change(one, field)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
