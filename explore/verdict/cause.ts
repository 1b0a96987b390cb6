import type { JournalEntry } from '../../shared/journal.ts';
import type { Schedule } from '../plan/planned.ts';
import type { RunRecord, ToldRequest } from '../run/run-record.ts';

/** A run that was judged. */
interface Judged {
  readonly schedule: Schedule;
  readonly run: RunRecord;
}

/** Why a point of sale failed, as far as the runs show it. */
export interface Cause {
  /** What it did that a run that survived did otherwise: a sentence, or several. */
  readonly lines: readonly string[];
  /** The same for failures that have the same cause. */
  readonly key: string;
}

/**
 * Compares a failed run with the nearest that survived: the longest common beginning of requests and what they were told, then
 * the fewest faults, then the first.
 */
export function causeOf(failed: Judged, survived: readonly Judged[]): Cause {
  const nearest = nearestOf(failed, survived);
  const { run } = failed;
  const rule = run.found.find(({ severity }) => severity === 'error') ?? run.found[0];
  const { lines, key } =
    nearest && isSame(run, nearest.run) ? sameOf(run, rule) : partingOf(run, nearest, rule);
  return {
    lines: [...lines, ...(run.why === undefined ? [] : [run.why])],
    key: [...key, rule?.rule].join(' '),
  };
}

function isSame({ requests }: RunRecord, other: RunRecord): boolean {
  return commonBeginning(requests, other.requests) === Math.max(requests.length, other.requests.length);
}

type Rule = RunRecord['found'][number];
interface Parting {
  readonly lines: readonly string[];
  readonly key: readonly unknown[];
}

/** A run that survived has the same requests, told the same: what is wrong shows elsewhere. */
function sameOf({ requests, entries }: RunRecord, rule: Rule | undefined): Parting {
  const key = [requests.at(-1)?.point, ''];
  if (rule)
    return { lines: [`${whatOf(rule)} (lint ${rule.rule})`, 'a run that did the same was lucky'], key };
  const again = takenAgain(entries);
  const first = again
    ? `it took ${again.type} ${again.times} times, which is one event with one webhook-id`
    : 'it made something else of the same answers';
  return {
    lines: [first, 'the nearest run that survived sent the same requests, and was told the same'],
    key,
  };
}

/** An event that a receiver of the point of sale took more than once. */
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

/** What the failed run did after the last that both were told alike, or, if one was told otherwise, after that. */
function partingOf(run: RunRecord, nearest: Judged | undefined, rule: Rule | undefined): Parting {
  const { requests } = run;
  const others = nearest?.run.requests;
  const parted = others ? commonBeginning(requests, others) : requests.length;
  const [mine, theirs] = [requests[parted], others?.[parted]];
  const toldOtherwise = mine && theirs && requestText(mine) === requestText(theirs) ? theirs : undefined;
  const at = toldOtherwise ? parted + 1 : parted;
  const [before, did] = [requests[at - 1], requests[at]];
  const after = before ? `after ${toldText(before, run)} ` : '';
  const first = `${after}it ${did ? `sent ${requestText(did)}` : 'never asked again'}${rule ? ` (lint ${rule.rule})` : ''}`;
  const instead = toldOtherwise
    ? `was told ${toldOtherwise.told} there`
    : theirs && `sent ${requestText(theirs)} here`;
  return {
    lines: [
      first,
      ...(did ? furtherLines(requests.slice(at + 1), rule) : []),
      ...(others ? [`the nearest run that survived ${instead ?? 'ended here'}`] : []),
    ],
    key: [before?.point, did ? requestText(did) : ''],
  };
}

/** So many requests after the one in which the runs part are named. */
const mostFurther = 3;

/** What is wrong with what it did: as the rule says it, or else all that followed. */
function furtherLines(further: readonly ToldRequest[], rule: Rule | undefined): string[] {
  if (rule) return [whatOf(rule)];
  if (further.length === 0) return [];
  const named = further.slice(0, mostFurther).map(requestText).join(', then ');
  return [`then ${named}${further.length > mostFurther ? ', and so on' : ''}`];
}

function whatOf({ what }: Rule): string {
  return what.replaceAll(id, '…');
}

/** Keys and payments have other names in each run. */
const id = /[0-9a-f]{8}-[0-9a-f-]{27}/gi;

function nearestOf(failed: Judged, survived: readonly Judged[]): Judged | undefined {
  let best: { judged: Judged; common: number } | undefined;
  for (const judged of survived) {
    const common = commonBeginning(failed.run.requests, judged.run.requests);
    const fewer = best && judged.schedule.length < best.judged.schedule.length;
    if (!best || common > best.common || (common === best.common && fewer)) best = { judged, common };
  }
  return best?.judged;
}

/** How many requests of two runs are the same and were told the same. */
export function commonBeginning(one: readonly ToldRequest[], other: readonly ToldRequest[]): number {
  const at = one.findIndex((request, index) => {
    const twin = other[index];
    return !twin || lineOf(request) !== lineOf(twin);
  });
  return at < 0 ? one.length : at;
}

/** A request as runs are compared by it. */
export function lineOf({ method, path, key, told }: ToldRequest): string {
  return `${method} ${path} ${keyText(key)} ${told}`;
}

function requestText({ method, path, key }: ToldRequest): string {
  return `${method} ${path}${key === 'none' ? '' : ` (${keyText(key)})`}`;
}

function keyText(key: ToldRequest['key']): string {
  if (key === 'none') return 'no key';
  return key === 'new' ? 'a new key' : `the key of request ${key}`;
}

function toldText({ told, point }: ToldRequest, { hungUpAfterMs }: RunRecord): string {
  if (/^\d/.test(told)) return `the ${told} to ${point}`;
  const waited = hungUpAfterMs === undefined ? '' : ` ${waitedText(hungUpAfterMs)}`;
  const became: Record<string, string> = {
    lost: 'which was lost',
    'hung up': `on which it hung up${waited}`,
    'cut off': 'whose answer was cut off',
    none: 'which was never answered',
  };
  return `${point}, ${became[told] ?? told},`;
}

/** In whole seconds: a timeout is one, and what is measured differs by tenths from run to run (B334). */
function waitedText(ms: number): string {
  return ms < 1_000 ? 'within a second' : `after ${Math.round(ms / 1_000)} s`;
}
