import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/clock.ts';
import { explainConnectionError } from '../../shared/connection-error.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { requestHttp, requestHttps } from '../../shared/node-http.ts';
import { replaceInvalidCharacters } from '../http/non-text.ts';
import {
  type AddressRules,
  isAllowedAddress,
  makeAddressNotAllowedError,
  makeCheckedLookup,
  readLiteralAddress,
} from './addresses.ts';
import type { WebhookMessage } from './signature.ts';

/** The maximum number of bytes of an answer that are kept. The gateway does not wait for the rest of the answer. */
const longestAnswer = 1_000;

/** The result of one POST: the status of the answer, or the reason why there was no answer. */
export interface PostResult {
  status: number | undefined;
  error: string | undefined;
  /** The first part of the answer's body. */
  answer: string | undefined;
}

/** Gives the fields of a result that the journal keeps. A field without a value is left out. */
export function pickJournaledFields({ status, error }: Pick<PostResult, 'status' | 'error'>) {
  return { ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
}

interface PostOptions {
  rules: AddressRules;
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
  /**
   * Called if the receiver answers 102 Processing. This answer means that the receiver has the message and will take
   * some time.
   */
  processing?: () => void;
}

/**
 * Sends one message. Redirects are not followed, and the connection is not kept. The sending takes at most `timeoutMs`
 * on the clock. Even if the process is paused, nothing is sent after that time. The promise rejects only if `signal`
 * aborts.
 */
export function postWebhookMessage(
  url: string,
  message: WebhookMessage,
  options: PostOptions,
): Promise<PostResult> {
  const { rules, clock, timeoutMs, signal } = options;
  const target = new URL(url);
  const literal = readLiteralAddress(target);
  if (literal !== undefined && !isAllowedAddress(literal, rules))
    return Promise.resolve(withoutAnswer(makeAddressNotAllowedError(literal).message));
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let request: ClientRequest;
    try {
      request = startRequest(target, message, options);
    } catch (error) {
      // Node has refused the message, so the refusal is the result. Without a result, the delivery would never end,
      // and later events would wait for it.
      return resolve(withoutAnswer(explainConnectionError(error)));
    }
    /** Gives the part of the answer that has arrived; undefined if the answer's status has not arrived yet. */
    let answerSoFar: (() => PostResult) | undefined;
    let isSettled = false;
    const settle = (resolveOrReject: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      request.destroy();
      resolveOrReject();
    };
    /**
     * Ends the sending. If a part of an answer has arrived, this part is the result. Otherwise the result is the
     * error.
     */
    const end = (error: string) => settle(() => resolve(answerSoFar?.() ?? withoutAnswer(error)));
    const abort = () => settle(() => reject(signal.reason));
    const timer = clock.setTimeout(
      () => end(`the receiver did not answer within ${timeoutMs} ms`),
      timeoutMs,
    );
    signal.addEventListener('abort', abort, { once: true });
    request.on('error', (error) => end(explainConnectionError(error)));
    // The request is also closed if the receiver hangs up or asks for another protocol.
    request.on('close', () => end('the connection was closed without an answer'));
    request.on('response', (response) => {
      const answer = readAnswer(response, () => settle(() => resolve(answer())));
      answerSoFar = answer;
    });
  });
}

/**
 * Opens a connection to the receiver. When the connection is open, the message is sent, unless the time limit has
 * passed.
 */
function startRequest(
  target: URL,
  message: WebhookMessage,
  { rules, clock, timeoutMs, processing }: PostOptions,
): ClientRequest {
  const isSecure = target.protocol === 'https:';
  const endsAt = clock.monotonic() + timeoutMs;
  const request = (isSecure ? requestHttps : requestHttp)(target, {
    method: 'POST',
    headers: { ...message.headers, 'content-length': Buffer.byteLength(message.body) },
    agent: false,
    lookup: makeCheckedLookup(rules),
  });
  request.on('socket', (socket) =>
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      if (clock.monotonic() < endsAt) request.end(message.body);
    }),
  );
  request.on('information', (info) => info.statusCode === 102 && processing?.());
  return request;
}

/**
 * Reads an answer, and calls `complete` when enough of the answer has arrived. Returns a function that gives the part
 * that has arrived so far.
 */
function readAnswer(response: IncomingMessage, complete: () => void): () => PostResult {
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= longestAnswer) complete();
  });
  response.on('end', () => {
    isWhole = true;
    complete();
  });
  response.on('error', complete);
  const beginning = () => beginningOf(Buffer.concat(chunks), isWhole) || undefined;
  return () => ({ status: response.statusCode, error: undefined, answer: beginning() });
}

/**
 * Gives the first part of an answer. If the answer may be longer, all characters after the last letter of this part
 * are left out, because these characters may be the start of a card number. An answer may be longer if it has too many
 * bytes, or if its end has not arrived (B526).
 */
function beginningOf(answer: Buffer, isWhole: boolean): string {
  const text = answer.subarray(0, longestAnswer).toString();
  return kept(isWhole && answer.length < longestAnswer ? text : text.replace(/\P{L}*$/u, ''));
}

/**
 * Makes a text from outside safe to keep: removes card numbers and everything that is not text. A receiver may answer
 * anything, and an error may quote the receiver's certificate.
 */
function kept(said: string): string {
  return replaceInvalidCharacters(maskCardNumbers(said));
}

/** Gives the result of a POST that got no answer. */
function withoutAnswer(error: string): PostResult {
  return { status: undefined, error: kept(error), answer: undefined };
}
