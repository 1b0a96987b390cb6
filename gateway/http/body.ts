import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HungUpError } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { replaceInvalidCharacters } from './non-text.ts';
import { parsePairs } from './validate.ts';

/** The maximum size of a body, in bytes (B119). */
const largestBody = 100_000;
/**
 * The number of bytes beyond the maximum size that the gateway reads and drops. If the gateway stopped reading and
 * answered 413, a client that is still sending would see only a broken connection. So a body that exceeds the maximum
 * size by at most this number is read to its end.
 */
const patience = 4_000_000;
const deepestBody = 64;

/**
 * Returns whether the request has a body. Either of two HTTP headers can announce a body. An empty body counts as no
 * body.
 */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

const mediaTypes = {
  json: /^application\/json\s*(;\s*charset="?utf-?8"?\s*)?;?$/i,
  anyText: /^application\/json\s*(;\s*charset="?utf-?8"?\s*)?;?$/i,
  form: /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-?8"?\s*)?;?$/i,
};

/**
 * Checks that the body has this media type and is not compressed. The only parameter of the media type may be
 * `charset=utf-8`.
 *
 * @throws ApiError unsupportedMediaType
 */
export function checkMediaType(request: IncomingMessage, type: keyof typeof mediaTypes = 'json'): void {
  const { 'content-type': given = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupportedMediaType', { message: `Send the body uncompressed, not as ${encoding}` });
  if (mediaTypes[type].test(given)) return;
  if (type !== 'form') throw new ApiError('unsupportedMediaType');
  throw new ApiError('unsupportedMediaType', {
    message: 'Send the body as application/x-www-form-urlencoded',
  });
}

/**
 * Reads the body to its end.
 * @throws ApiError `payloadTooLarge`
 * @throws HungUpError if the client disconnects before the end of the body
 */
export function readBody(request: IncomingMessage, largest = largestBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => reject(new ApiError('payloadTooLarge', { headers: { Connection: 'close' } }));
    if (Number(request.headers['content-length']) > largestBody + patience) return tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largest) chunks.push(chunk);
      else if (size > largestBody + patience) {
        request.pause();
        tooLarge();
      }
    });
    request.on('end', () => {
      if (size > largest) return reject(tooLargeFor(largest));
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on('error', () => reject(new HungUpError()));
    request.on('close', () => {
      if (!request.complete) reject(new HungUpError());
    });
  });
}

function tooLargeFor(largest: number): ApiError {
  if (largest === largestBody) return new ApiError('payloadTooLarge');
  return new ApiError('payloadTooLarge', { message: `The body is larger than ${largest / 1000} kB` });
}

/**
 * Reads a body as JSON.
 *
 * @throws ApiError `invalidJson` if the body is not UTF-8 or not JSON
 * @throws ApiError `invalidRequest` if the JSON is nested too deeply, or has the key `__proto__`, which is special in
 *   JavaScript
 */
export function parseJsonBody(bytes: Buffer): { json: unknown; text: string; bytes: number } {
  if (!isUtf8(bytes)) throw new ApiError('invalidJson', { message: 'The body is not UTF-8' });
  const text = bytes.toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ApiError('invalidJson', { message: `The body is not JSON: ${whereItFails(error)}` });
  }
  checkShape(json, 1, '');
  return { json, text, bytes: bytes.length };
}

/**
 * Reads a body as JSON if it is JSON. Reads any other body as text.
 *
 * @throws ApiError `invalidRequest` in the same cases as {@link parseJsonBody}
 */
export function parseJsonOrText(bytes: Buffer): { json: unknown; text: string; bytes: number } {
  try {
    return parseJsonBody(bytes);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'invalidJson')) throw error;
    const json = replaceInvalidCharacters(bytes.toString());
    return { json, text: JSON.stringify(json), bytes: bytes.length };
  }
}

/**
 * Reads a browser's form, which has names and values. All values are text.
 *
 * @throws ApiError `invalidRequest` if the form is not percent-encoded UTF-8
 */
export function parseForm(bytes: Buffer): Record<string, unknown> {
  return parsePairs(bytes.toString('latin1'), 'The form');
}

/**
 * Gives the message of JavaScript's JSON parser without the excerpt of the body in the message. The excerpt may
 * contain secrets.
 */
function whereItFails(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0];
  if (position) return `unexpected character ${position}`;
  return /end of/.test(message) ? 'it ends too early' : 'unexpected character';
}

function checkShape(value: unknown, depth: number, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepestBody)
    throw new ApiError('invalidRequest', { message: `The body is nested deeper than ${deepestBody} levels` });
  for (const key of Object.keys(value)) {
    if (key === '__proto__') {
      const details = [{ path: path + key, message: 'A field must not have this name' }];
      throw new ApiError('invalidRequest', { details });
    }
    checkShape((value as Record<string, unknown>)[key], depth + 1, `${path}${key}.`);
  }
}
