import type { Clock } from '../../shared/clock.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { requestHttp, requestHttps } from '../../shared/node-http.ts';
import { asText } from '../http/text.ts';
import { type AddressRules, checkedLookup, isAllowed, literalAddress, notAllowed } from './addresses.ts';
import type { SignedMessage } from './signature.ts';

/** The maximum number of bytes that are kept of an answer. The gateway does not wait for the rest. */
const longestAnswer = 1_000;

/** The result of one POST: the status of the answer, or the reason why there was none. */
export interface Posted {
  status: number | undefined;
  error: string | undefined;
  /** The first part of the answer's body. */
  answer: string | undefined;
}

interface PostOptions {
  rules: AddressRules;
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called if the receiver answers 102 Processing, which means that it has the message and will take some time. */
  processing?: () => void;
}

/**
 * Sends one message. It follows no redirects and keeps no connection. It ends within `timeoutMs` by the clock: even if
 * the process is paused, nothing is sent later than that. It rejects only if `signal` aborts.
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
    // The request is also closed if the receiver hangs up or asks for another protocol.
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
 * Gives the first part of an answer. If the rest is left out, all characters after the last letter are left out too,
 * because they may be the start of a card number.
 */
function beginningOf(answer: Buffer): string {
  const text = answer.subarray(0, longestAnswer).toString();
  return kept(answer.length < longestAnswer ? text : text.replace(/\P{L}*$/u, ''));
}

/**
 * Makes a text of a receiver safe to keep: it removes card numbers and what is not text. A receiver may answer
 * anything, and an error may quote its certificate.
 */
function kept(said: string): string {
  return asText(maskCardNumbers(said));
}

function failed(error: string): Posted {
  return { status: undefined, error: kept(error), answer: undefined };
}

/**
 * Gives the reason of an error. If a name has IPv4 and IPv6 addresses and all refuse, the error contains several
 * errors.
 */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((inner: Error) => inner.message).join(', ');
  return error.message || error.name;
}
