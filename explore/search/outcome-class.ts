import type { Schedule } from '../plan/planned.ts';
import type { RunRecord } from '../run/run-record.ts';
import { lineOf } from '../verdict/cause.ts';

/** Gives the class of a run. Runs with the same beginning, fault and answers after it are one class, which one run represents. */
export function classOf(schedule: Schedule, { requests }: RunRecord): string {
  return [...schedule.map(({ fault }) => fault), ...requests.map(lineOf)].join('\n');
}

/** Whether a fault made a difference: to the requests, to what they were told, to the money or to the command's end. */
export function isChanged(run: RunRecord, plain: RunRecord): boolean {
  return whatItCameTo(run) !== whatItCameTo(plain);
}

function whatItCameTo({ requests, sales, ended }: RunRecord): string {
  const charged = sales.map(({ charged: amount, outcome }) => `${outcome} ${amount}`).join(', ');
  return [...requests.map(lineOf), charged, `${ended.code} ${ended.timedOut}`].join('\n');
}
