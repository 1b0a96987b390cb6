import type { Clock } from '../../shared/clock.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { requestHttp, requestHttps } from '../../shared/node-http.ts';
import { asText } from '../http/text.ts';
import { type AddressRules, checkedLookup, isAllowed, literalAddress, notAllowed } from './addresses.ts';
import type { SignedMessage } from './signature.ts';

/** How much of an answer is kept, in bytes; the gateway does not wait for the rest. */
const longestAnswer = 1_000;

/** The result of one POST: a status, or the reason why there was none. */
export interface Posted {
  status: number | undefined;
  error: string | undefined;
  /** The beginning of the answer's body. */
  answer: string | undefined;
}

interface PostOptions {
  rules: AddressRules;
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called if the receiver answers that it has the message and will take its time (102 Processing). */
  processing?: () => void;
}

/**
 * Sends one message. Redirects are not followed, no connection is kept, and sending ends within `timeoutMs` of the
 * clock's time: nothing is sent later, even if the process stood still meanwhile. Rejects only when `signal` aborts.
 */
export function post(url: string, message: SignedMessage, options: PostOptions): Promise<Posted> {
  const { rules, clock, timeoutMs, signal, processing } = options;
  const target = new URL(url);
  const literal = literalAddress(target);
  if (literal !== undefined && !isAllowed(literal, rules))
    return Promise.resolve(failed(notAllowed(literal).message));
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const secure = target.protocol === 'https:';
    const endsAt = clock.monotonic() + timeoutMs;
    const request = (secure ? requestHttps : requestHttp)(target, {
      method: 'POST',
      headers: { ...message.headers, 'content-length': Buffer.byteLength(message.body) },
      agent: false,
      lookup: checkedLookup(rules),
    });
    let status: number | undefined;
    const chunks: Buffer[] = [];
    const answer = () => beginningOf(Buffer.concat(chunks)) || undefined;
    const end = (posted: Posted) => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      request.destroy();
      resolve(posted);
    };
    const answered = () => end({ status, error: undefined, answer: answer() });
    const aborted = () => {
      clock.clearTimeout(timer);
      request.destroy();
      reject(signal.reason);
    };
    const timer = clock.setTimeout(
      () => (status === undefined ? end(failed(`no answer within ${timeoutMs} ms`)) : answered()),
      timeoutMs,
    );
    signal.addEventListener('abort', aborted, { once: true });
    request.on('error', (error) => (status === undefined ? end(failed(reasonOf(error))) : answered()));
    // The request also closes if the receiver just hangs up, or wants to speak another protocol.
    request.on('close', () =>
      status === undefined ? end(failed('the connection was closed without an answer')) : answered(),
    );
    request.on('information', (info) => info.statusCode === 102 && processing?.());
    request.on('response', (response) => {
      status = response.statusCode;
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= longestAnswer) answered();
      });
      response.on('end', answered);
      response.on('error', answered);
    });
    request.on('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        if (clock.monotonic() < endsAt) request.end(message.body);
      }),
    );
  });
}

/**
 * Gives the beginning of an answer. If the answer is cut off, what may be the start of a card number is cut off too.
 */
function beginningOf(answer: Buffer): string {
  const text = answer.subarray(0, longestAnswer).toString();
  return kept(answer.length < longestAnswer ? text : text.replace(/\P{L}*$/u, ''));
}

/**
 * Makes a receiver's words fit to keep, as text without card numbers: a receiver may say anything, and an error may
 * quote its certificate.
 */
function kept(said: string): string {
  return asText(maskCardNumbers(said));
}

function failed(error: string): Posted {
  return { status: undefined, error: kept(error), answer: undefined };
}

/** Gives the reason of an error. If both address families of a name are refused, one error contains several. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((inner: Error) => inner.message).join(', ');
  return error.message || error.name;
}
