import type { Schedule } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import { comparableRequestText } from '../verdict/request-words.ts';

/**
 * Returns the class of a run. Runs with the same faults, requests and answers are of one class. Only one run of each
 * class is combined with a second fault, because more would show nothing new.
 */
export function outcomeClassKey(schedule: Schedule, { requests }: RunRecord): string {
  return [...schedule.map(({ fault }) => fault), ...requests.map(comparableRequestText)].join('\n');
}

/** Whether a fault changed the run: its requests, their answers, the money, or the command's exit. */
export function isRunChangedByFault(run: RunRecord, plain: RunRecord): boolean {
  return whatItCameTo(run) !== whatItCameTo(plain);
}

function whatItCameTo({ requests, sales, ended }: RunRecord): string {
  const charged = sales.map(({ charged: amount, outcome }) => `${outcome} ${amount}`).join(', ');
  return [...requests.map(comparableRequestText), charged, `${ended.code} ${ended.timedOut}`].join('\n');
}
