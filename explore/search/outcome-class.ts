import type { RunRecord } from '../run/run-record.ts';
import { lineOf } from '../verdict/cause.ts';
import type { Verdict } from '../verdict/verdict.ts';

/** Runs of one class have the same requests, told the same, and come to the same: of them one stands for all. */
export function classOf({ requests, ended, sales }: RunRecord, { is }: Verdict): string {
  const charged = sales.map(({ charged: amount, outcome }) => `${outcome} ${amount}`).join(', ');
  return [...requests.map(lineOf), charged, `${ended.code} ${ended.timedOut}`, is].join('\n');
}
