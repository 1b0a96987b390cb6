import type { JournalEntry } from '../../shared/journal.ts';
import { type Schedule, scheduleText } from '../plan/schedule.ts';
import type { CommandRequest, RunRecord } from '../run/run-record.ts';
import { adviceFor, redirectAdvice } from './advice.ts';
import {
  answeredRequestText,
  comparableRequestText,
  gotAnswerText,
  requestText,
  sentRequestText,
} from './request-words.ts';
import type { Verdict } from './verdict.ts';

/** Matches the identifiers of keys and payments, which differ in each run. */
const identifiers = /[0-9a-f]{8}-[0-9a-f-]{27}/gi;

/** A run and its schedule. */
interface Judged {
  readonly schedule: Schedule;
  readonly run: RunRecord;
}

/** The reason why a point of sale failed, as far as the runs show it. */
export interface RunFailureCause {
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
export function findRunFailureCause(
  failed: Judged & { readonly verdict: Verdict },
  survived: readonly Judged[],
): RunFailureCause {
  const { run, verdict } = failed;
  const twin = survived.find((other) => isSame(run, other.run));
  const nearest = findNearest(
    failed,
    survived.filter((other) => !isSame(run, other.run)),
  );
  const rule = run.found.find(({ severity }) => severity === 'error') ?? run.found[0];
  // `twin` has the same requests as the failed run. If a lint rule was broken, `twin` survived only by luck, so
  // `nearest` shows better what the mistake changed.
  const isExplainedByTwin = twin !== undefined && !(rule && nearest);
  const { lines, key } = isExplainedByTwin
    ? explainSameRequests(run, rule)
    : explainDifference(run, nearest, rule);
  const isBroken = rule?.severity === 'error';
  const mend = isBroken ? rule.fix : adviceFor(verdict);
  return {
    lines: [
      ...(rule ? [`${rule.what.replaceAll(identifiers, '…')} (lint ${rule.rule})`] : []),
      ...lines,
      ...(twin && rule ? [luckText(twin)] : []),
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

/**
 * The sentences about the requests of a failed run, and the part of the cause's key that is made from these requests.
 */
interface Explanation {
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
function explainSameRequests({ requests, entries }: RunRecord, rule: Rule | undefined): Explanation {
  const key = [requests.at(-1)?.point, ''];
  if (rule) return { lines: [], key };
  const again = findEventTakenTwice(entries);
  const first = again
    ? `your program acted ${again.times} times on the event ${again.type}, although it was one event with one webhook-id`
    : 'your program got the same answers as in a run without a failure, and drew another conclusion';
  return {
    lines: [first, 'the most similar run without a failure sent the same requests, and got the same answers'],
    key,
  };
}

/** Returns an event that a webhook receiver of the point of sale accepted more than once. */
function findEventTakenTwice(entries: readonly JournalEntry[]): { type: string; times: number } | undefined {
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
 * Says what the point of sale did in the failed run after the last answer that both runs have in common. If the next
 * request was the same in both runs but got different answers, says what the point of sale did after the failed run's
 * answer.
 */
function explainDifference(run: RunRecord, nearest: Judged | undefined, rule: Rule | undefined): Explanation {
  const divergence = findDivergence(run.requests, nearest?.run.requests ?? run.requests);
  const { last, failedSent, further } = divergence;
  const after = last ? `after ${answeredRequestText(last, run)} ` : '';
  return {
    lines: [
      `${after}your program ${failedSent ? sentRequestText(failedSent) : 'never asked again'}`,
      ...(rule ? [] : furtherLines(further)),
      ...(nearest ? [`the most similar run without a failure ${survivedText(divergence)}`] : []),
    ],
    key: [last?.point, failedSent ? requestText(failedSent) : ''],
  };
}

/** The first difference between a failed run and a run that survived. */
interface Divergence {
  /** The last request of the failed run before the point of sale acted differently. */
  readonly last: CommandRequest | undefined;
  /** The request that the failed run sent next. Undefined if it sent no more requests. */
  readonly failedSent: CommandRequest | undefined;
  /** The requests that the failed run sent after `failedSent`. */
  readonly further: readonly CommandRequest[];
  /** The request of the survived run that is the same as `last`, but got a different answer. */
  readonly survivedGot: CommandRequest | undefined;
  /** The request that the survived run sent in place of `failedSent`. Undefined if it sent no more requests. */
  readonly survivedSent: CommandRequest | undefined;
}

function findDivergence(failed: readonly CommandRequest[], survived: readonly CommandRequest[]): Divergence {
  const common = commonBeginningLength(failed, survived);
  const [inFailed, inSurvived] = [failed[common], survived[common]];
  const differsInAnswer = inFailed && inSurvived && requestText(inFailed) === requestText(inSurvived);
  const at = differsInAnswer ? common + 1 : common;
  return {
    last: failed[at - 1],
    failedSent: failed[at],
    further: failed.slice(at + 1),
    survivedGot: differsInAnswer ? inSurvived : undefined,
    survivedSent: differsInAnswer ? undefined : inSurvived,
  };
}

/** Says what the run that survived did differently. */
function survivedText({ survivedGot, survivedSent }: Divergence): string {
  if (survivedGot) return `${gotAnswerText(survivedGot)} there`;
  return survivedSent ? `${sentRequestText(survivedSent)} here` : 'ended here';
}

/** The maximum number of later requests that are named after the first different request. */
const mostFurther = 3;

/** Names the requests after the first difference. This is used only for failures that no lint rule explains. */
function furtherLines(further: readonly CommandRequest[]): string[] {
  if (further.length === 0) return [];
  const named = further.slice(0, mostFurther).map(requestText).join(', then ');
  return [`then ${named}${further.length > mostFurther ? ', and so on' : ''}`];
}

/** Returns the run with the longest beginning in common. Of several such runs, returns one with the fewest faults. */
function findNearest(failed: Judged, survived: readonly Judged[]): Judged | undefined {
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
