import type { CommandRequest, RunRecord } from '../run/run-record.ts';

/** Returns a request in the form that is used to compare runs. */
export function comparableRequestText({ method, path, key, told }: CommandRequest): string {
  return `${method} ${path} ${keyText(key)} ${told}`;
}

/**
 * Names a request. Says if the HTTP client followed a redirect, because developers often do not know that their client
 * does this.
 */
export function sentRequestText(request: CommandRequest): string {
  return request.followed
    ? `followed the redirect to ${requestText(request)}`
    : `sent ${requestText(request)}`;
}

/** Names a request, and says which key it has. */
export function requestText({ method, path, key }: CommandRequest): string {
  return `${method} ${path}${key === 'none' ? '' : ` (${keyText(key)})`}`;
}

function keyText(key: CommandRequest['key']): string {
  if (key === 'none') return 'no key';
  return key === 'new' ? 'a new key' : `the key of request ${key}`;
}

/** Clauses about a request that got no complete answer. The key is what happened to the request. */
const lostAnswerWords: Readonly<Record<string, string>> = {
  lost: 'which was lost',
  'cut off': 'whose answer was cut off',
  none: 'which was never answered',
};

/** Names a request together with its answer, or with what happened instead of an answer. */
export function answeredRequestText({ told, point, followed }: CommandRequest, run: RunRecord): string {
  if (/^\d/.test(told)) return `the ${told} to ${point}${followed ? ' (the target of a redirect)' : ''}`;
  if (told === 'hung up') return `${point}, on which your program hung up${waitedText(run.hungUpAfterMs)},`;
  return `${point}, ${lostAnswerWords[told] ?? told},`;
}

/** Predicates about a point of sale that got no complete answer. The key is what happened to its request. */
const gotWords: Readonly<Record<string, string>> = {
  lost: 'lost its connection',
  'hung up': 'hung up',
  'cut off': 'got half an answer',
  none: 'got no answer',
};

/** Says which answer the point of sale got. */
export function gotAnswerText({ told }: CommandRequest): string {
  return gotWords[told] ?? `was told ${told}`;
}

/**
 * Returns how long the point of sale waited. The time is in whole seconds, because timeouts are whole seconds, and
 * measured times differ by tenths from run to run (B334). If the time is not known, returns an empty string.
 */
function waitedText(ms: number | undefined): string {
  if (ms === undefined) return '';
  return ms < 1_000 ? ' within a second' : ` after ${Math.round(ms / 1_000)} s`;
}
