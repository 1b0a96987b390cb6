import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { findClosestFormIssues } from '../../shared/closest-form-issues.ts';
import { compileSchemaCheck } from '../../shared/compile-check.ts';
import { memoize } from '../../shared/memoize.ts';
import { explainWrongValue, type TypeNames } from '../../shared/wrong-value.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { visitInvalidStrings } from './non-text.ts';

export interface ParsedRequest {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
}

/** The maximum number of faults and unknown fields in an answer. A body may have tens of thousands of them. */
const mostNamed = 100;
/**
 * The maximum number of names and values in a form or query string. The gateway's own forms and query strings have
 * roughly a dozen.
 */
const mostPairs = 100;

/**
 * The headers whose values are lists by definition. A client may send such a header twice, and both values then form
 * one list (RFC 9110 §5.3).
 */
const listHeaders = new Set(['prefer', 'accept']);

/**
 * Checks all parts of a request: the strings must be text (B120), and the parts must fit the endpoint's schemas.
 *
 * @throws ApiError `invalidRequest` with one entry for each wrong field in path, query, headers and body, up to a
 *   hundred
 */
export function validateRequest(
  endpoint: AnyEndpoint,
  request: IncomingMessage,
  params: Record<string, unknown>,
  queryText: string,
  json: unknown,
): ParsedRequest {
  const faults = new Map<string, string>();
  const parse = (schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (!schema) return undefined;
    const given = value();
    visitInvalidStrings(given, (path, message) => faults.set(path, message).size < mostNamed);
    if (fitsIn(schema)(given)) return given;
    const result = schema.safeParse(given, { error: faultMessage, reportInput: true });
    if (result.success) return result.data;
    addFaults(result.error.issues, faults);
    return undefined;
  };
  const parsed: ParsedRequest = {
    params: parse(endpoint.params, () => params),
    query: parse(endpoint.query, () => parseQuery(queryText)),
    headers: parse(endpoint.headers, () => headersOf(endpoint.headers as z.ZodObject, request)),
    body: json === undefined && endpoint.bodyOptional ? undefined : parse(endpoint.body, () => json),
  };
  if (faults.size > 0) {
    const details = Array.from(faults, ([path, message]) => ({ path, message }));
    throw new ApiError('invalidRequest', { details });
  }
  return parsed;
}

const fitsIn = memoize((schema: z.ZodType) => compileSchemaCheck(schema));

const jsonKinds: TypeNames = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** If a field is missing, the message says so. Zod's own message would be about an input of the type undefined. */
const faultMessage: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' && issue.input === undefined
    ? 'is required'
    : explainWrongValue(issue, jsonKinds);

/** Keeps only the first message about each field. Later messages follow from the first message or repeat it. */
function addFaults(issues: readonly z.core.$ZodIssue[], faults: Map<string, string>): void {
  for (const issue of issues.flatMap(ofClosestForm)) {
    const at = issue.path.join('.');
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    for (const name of names) {
      const path = name === undefined ? at : at === '' ? name : `${at}.${name}`;
      if (faults.size < mostNamed && !faults.has(path)) faults.set(path, issue.message);
    }
  }
}

/**
 * Describes what is wrong with a value that may have one of several forms. The message names the differences between
 * the value and the closest form. If several forms are equally close, one sentence names the differences from each of
 * these forms.
 */
function ofClosestForm(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const forms = findClosestFormIssues(issue).map((form) => form.flatMap(ofClosestForm));
  const [closest, ...others] = forms;
  // Zod's message already names the forms.
  if (!closest) return [issue];
  if (others.length === 0) return closest.map((lack) => ({ ...lack, path: [...issue.path, ...lack.path] }));
  const sentences = new Set(forms.map((form) => form.map(sentenceOf).join(' and ')));
  return [{ ...issue, message: [...sentences].join(', or ') }];
}

function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** Reads the names and values of a query string. */
function parseQuery(text: string): Record<string, unknown> {
  return parsePairs(text, 'The query string');
}

/**
 * Reads the names and values of a query or a form. If a name is given twice, its value is an array. No schema here
 * accepts such an array.
 *
 * @throws ApiError `invalidRequest` if there are more than a hundred names, or if the text is not percent-encoded
 *   UTF-8
 */
export function parsePairs(text: string, what: string): Record<string, unknown> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > mostPairs)
    throw new ApiError('invalidRequest', { message: `${what} has more than ${mostPairs} fields` });
  const values: Record<string, string | string[]> = Object.create(null);
  for (const pair of pairs) {
    const [name, value] = splitPair(pair, what);
    const earlier = values[name];
    if (earlier === undefined) values[name] = value;
    else if (typeof earlier === 'string') values[name] = [earlier, value];
    else earlier.push(value);
  }
  return values;
}

function splitPair(pair: string, what: string): [string, string] {
  const equals = pair.indexOf('=');
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    if (equals === -1) return [decode(pair), ''];
    return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
  } catch {
    throw new ApiError('invalidRequest', { message: `${what} is badly percent-encoded` });
  }
}

function headersOf(schema: z.ZodObject, request: IncomingMessage): Record<string, unknown> {
  const headers: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = request.headers[name];
    if (value === undefined) continue;
    headers[name] = listHeaders.has(name) || !hasHeaderTwice(request, name) ? value : [value];
  }
  return headers;
}

/**
 * Returns whether a request has a header more than once. Such a request is refused: the values may contradict each
 * other, and Node joins or drops repeated headers.
 */
export function hasHeaderTwice(request: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    if (request.rawHeaders[at]?.toLowerCase() === name) count++;
  }
  return count > 1;
}

/**
 * Gives the paths of the fields in `given` that no schema has. `parsed` lacks these fields (B29). Gives at most a
 * hundred paths, with dots between the names.
 */
export function findUnknownFields(given: unknown, parsed: unknown): string[] {
  if (given === parsed) return [];
  const found: string[] = [];
  collectUnknown(given, parsed, '', found);
  return found;
}

function collectUnknown(given: unknown, parsed: unknown, at: string, found: string[]): void {
  if (typeof given !== 'object' || given === null || typeof parsed !== 'object' || parsed === null) return;
  for (const [name, value] of Object.entries(given)) {
    if (found.length === mostNamed) return;
    const path = at === '' ? name : `${at}.${name}`;
    if (Object.hasOwn(parsed, name))
      collectUnknown(value, (parsed as Record<string, unknown>)[name], path, found);
    else found.push(path);
  }
}
