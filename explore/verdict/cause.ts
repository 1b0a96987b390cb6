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
  const rule = failed.run.found.find(({ severity }) => severity === 'error') ?? failed.run.found[0];
  const { lines, key } = partingOf(failed.run.requests, nearest?.run.requests, rule);
  return {
    lines: [...lines, ...(failed.run.why === undefined ? [] : [failed.run.why])],
    key: [...key, rule?.rule].join(' '),
  };
}

/** What the failed run did after the last that both were told alike, or, if one was told otherwise, after that. */
function partingOf(
  requests: readonly ToldRequest[],
  others: readonly ToldRequest[] | undefined,
  rule: RunRecord['found'][number] | undefined,
): { lines: string[]; key: unknown[] } {
  const parted = others ? commonBeginning(requests, others) : requests.length;
  const [mine, theirs] = [requests[parted], others?.[parted]];
  const toldOtherwise = mine && theirs && requestText(mine) === requestText(theirs) ? theirs : undefined;
  const at = toldOtherwise ? parted + 1 : parted;
  const [before, did] = [requests[at - 1], requests[at]];
  const key = [before?.point, did ? requestText(did) : ''];
  if (others && !mine && !theirs && rule) {
    const what = rule.what.replaceAll(id, '…');
    return { lines: [`${what} (lint ${rule.rule})`, 'a run that did the same was lucky'], key };
  }
  const after = before ? `after ${toldText(before)} ` : '';
  const first = `${after}it ${did ? `sent ${requestText(did)}` : 'never asked again'}${rule ? ` (lint ${rule.rule})` : ''}`;
  const instead = toldOtherwise
    ? `was told ${toldOtherwise.told} there`
    : theirs && `sent ${requestText(theirs)} here`;
  return {
    lines: [first, ...(others ? [`the nearest run that survived ${instead ?? 'ended here'}`] : [])],
    key,
  };
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

function toldText({ told, point }: ToldRequest): string {
  if (/^\d/.test(told)) return `the ${told} to ${point}`;
  return told === 'none' ? `${point}, which was never answered,` : `${point}, which was ${told},`;
}
