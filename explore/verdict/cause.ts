import type { JournalEntry } from '../../shared/journal.ts';
import { type Schedule, scheduleText } from '../plan/schedule.ts';
import type { CommandRequest, RunRecord } from '../run/run-record.ts';
import { adviceFor, redirectAdvice } from './advice.ts';
import type { Verdict } from './verdict.ts';

/** A run and its schedule. */
interface Judged {
  readonly schedule: Schedule;
  readonly run: RunRecord;
}

/** The reason why a point of sale failed, as far as the runs show it. */
export interface Cause {
  /**
   * The sentences of the reason. They are the same in every report (B387). The first has the finding of the lint rule
   * that the point of sale broke, if there is such a rule. The next sentences say what the point of sale did
   * differently in a run that survived. The last one says why the payment had its outcome.
   */
  readonly lines: readonly string[];
  /** The change that the point of sale needs, in a sentence. */
  readonly mend: string;
  /** A key that is equal for failures with the same cause. */
  readonly key: string;
}

/**
 * Compares a failed run with the run that is most similar among those that survived. Similarity is the number of
 * requests, counted from the beginning, that are the same in both runs and got the same answers. If several runs are
 * equally similar, the one with the fewest faults is chosen. If several of these have equally few faults, the first of
 * them is chosen.
 */
export function causeOf(failed: Judged & { readonly verdict: Verdict }, survived: readonly Judged[]): Cause {
  const { run, verdict } = failed;
  const same = survived.find((other) => isSame(run, other.run));
  const nearest = nearestOf(
    failed,
    survived.filter((other) => !isSame(run, other.run)),
  );
  const rule = run.found.find(({ severity }) => severity === 'error') ?? run.found[0];
  const { lines, key } = same && !(rule && nearest) ? sameOf(run, rule) : partingOf(run, nearest, rule);
  const isBroken = rule?.severity === 'error';
  const mend = isBroken ? rule.fix : adviceFor(verdict);
  return {
    lines: [
      ...(rule ? [`${rule.what.replaceAll(id, '…')} (lint ${rule.rule})`] : []),
      ...lines,
      ...(same && rule ? [luckText(same)] : []),
      ...(run.why === undefined ? [] : [`the payment itself: ${run.why}`]),
    ],
    mend: run.requests.some(({ followed }) => followed) ? `${redirectAdvice}; ${mend}` : mend,
    // Failures that break the same rule have the same cause, even if they break the rule at different requests. A
    // warning can also occur in failures with other causes, so it is only a part of the key.
    key: [verdict.is, ...(isBroken ? [rule.rule] : [...key, rule?.rule])].join(' '),
  };
}

function isSame({ requests }: RunRecord, other: RunRecord): boolean {
  return commonBeginningLength(requests, other.requests) === Math.max(requests.length, other.requests.length);
}

type Rule = RunRecord['found'][number];
interface Parting {
  readonly lines: readonly string[];
  readonly key: readonly unknown[];
}

/** Returns the sentence which says that another run had the same requests, and survived only by luck. */
function luckText({ schedule }: Judged): string {
  return `the same requests did no harm ${schedule.length === 0 ? 'without faults' : `with ${scheduleText(schedule)}`}, by luck`;
}

/**
 * Describes a failed run that has the same requests and answers as a run that survived. So the mistake is in something
 * other than the requests.
 */
function sameOf({ requests, entries }: RunRecord, rule: Rule | undefined): Parting {
  const key = [requests.at(-1)?.point, ''];
  if (rule) return { lines: [], key };
  const again = takenAgain(entries);
  const first = again
    ? `your program acted ${again.times} times on the event ${again.type}, although it was one event with one webhook-id`
    : 'your program got the same answers as in a run without a failure, and drew another conclusion';
  return {
    lines: [first, 'the most similar run without a failure sent the same requests, and got the same answers'],
    key,
  };
}

/** Returns an event that a webhook receiver of the point of sale accepted more than once. */
function takenAgain(entries: readonly JournalEntry[]): { type: string; times: number } | undefined {
  const times = new Map<string, number>();
  for (const { kind, data } of entries) {
    if (kind !== 'webhook.attempted' || data.status === undefined || data.status >= 300) continue;
    const taken = (times.get(`${data.webhook} ${data.event}`) ?? 0) + 1;
    if (taken > 1) return { type: data.type, times: taken };
    times.set(`${data.webhook} ${data.event}`, taken);
  }
  return undefined;
}

/**
 * Returns what the point of sale did in the failed run after the last answer that both runs have in common. If both
 * runs then sent the same request but got different answers, returns what the point of sale did after the answer that
 * it got in the failed run.
 */
function partingOf(run: RunRecord, nearest: Judged | undefined, rule: Rule | undefined): Parting {
  const { requests } = run;
  const others = nearest?.run.requests;
  const parted = others ? commonBeginningLength(requests, others) : requests.length;
  const [mine, theirs] = [requests[parted], others?.[parted]];
  const toldOtherwise = mine && theirs && requestText(mine) === requestText(theirs) ? theirs : undefined;
  const at = toldOtherwise ? parted + 1 : parted;
  const [before, did] = [requests[at - 1], requests[at]];
  const after = before ? `after ${toldText(before, run)} ` : '';
  const first = `${after}your program ${did ? sentText(did) : 'never asked again'}`;
  const instead = toldOtherwise ? `${gotText(toldOtherwise)} there` : theirs && `${sentText(theirs)} here`;
  return {
    lines: [
      first,
      ...(did && !rule ? furtherLines(requests.slice(at + 1)) : []),
      ...(others ? [`the most similar run without a failure ${instead ?? 'ended here'}`] : []),
    ],
    key: [before?.point, did ? requestText(did) : ''],
  };
}

/** The maximum number of later requests that are named after the first different request. */
const mostFurther = 3;

/** Names the requests after the first difference. This is used only for failures that no lint rule explains. */
function furtherLines(further: readonly CommandRequest[]): string[] {
  if (further.length === 0) return [];
  const named = further.slice(0, mostFurther).map(requestText).join(', then ');
  return [`then ${named}${further.length > mostFurther ? ', and so on' : ''}`];
}

/** Matches the identifiers of keys and payments, which differ in each run. */
const id = /[0-9a-f]{8}-[0-9a-f-]{27}/gi;

function nearestOf(failed: Judged, survived: readonly Judged[]): Judged | undefined {
  let best: { judged: Judged; common: number } | undefined;
  for (const judged of survived) {
    const common = commonBeginningLength(failed.run.requests, judged.run.requests);
    const fewer = best && judged.schedule.length < best.judged.schedule.length;
    if (!best || common > best.common || (common === best.common && fewer)) best = { judged, common };
  }
  return best?.judged;
}

/** Returns how many requests at the beginning are the same in both runs and got the same answers. */
function commonBeginningLength(one: readonly CommandRequest[], other: readonly CommandRequest[]): number {
  const at = one.findIndex((request, index) => {
    const twin = other[index];
    return !twin || comparableRequestText(request) !== comparableRequestText(twin);
  });
  return at < 0 ? one.length : at;
}

/** Returns a request in the form that is used to compare runs. */
export function comparableRequestText({ method, path, key, told }: CommandRequest): string {
  return `${method} ${path} ${keyText(key)} ${told}`;
}

/**
 * Names a request. Says if the HTTP client followed a redirect, because developers often do not know that their client
 * does this.
 */
function sentText(request: CommandRequest): string {
  return request.followed
    ? `followed the redirect to ${requestText(request)}`
    : `sent ${requestText(request)}`;
}

function requestText({ method, path, key }: CommandRequest): string {
  return `${method} ${path}${key === 'none' ? '' : ` (${keyText(key)})`}`;
}

function keyText(key: CommandRequest['key']): string {
  if (key === 'none') return 'no key';
  return key === 'new' ? 'a new key' : `the key of request ${key}`;
}

function toldText({ told, point, followed }: CommandRequest, { hungUpAfterMs }: RunRecord): string {
  if (/^\d/.test(told))
    return followed ? `the ${told} to ${point} (the target of a redirect)` : `the ${told} to ${point}`;
  const waited = hungUpAfterMs === undefined ? '' : ` ${waitedText(hungUpAfterMs)}`;
  const became: Record<string, string> = {
    lost: 'which was lost',
    'hung up': `on which your program hung up${waited}`,
    'cut off': 'whose answer was cut off',
    none: 'which was never answered',
  };
  return `${point}, ${became[told] ?? told},`;
}

function gotText({ told }: CommandRequest): string {
  const became: Record<string, string> = {
    lost: 'lost its connection',
    'hung up': 'hung up',
    'cut off': 'got half an answer',
    none: 'got no answer',
  };
  return became[told] ?? `was told ${told}`;
}

/**
 * Returns a time in whole seconds, because timeouts are whole seconds, and measured times differ by tenths from run to
 * run (B334).
 */
function waitedText(ms: number): string {
  return ms < 1_000 ? 'within a second' : `after ${Math.round(ms / 1_000)} s`;
}
