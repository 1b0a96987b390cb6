import type { Violation } from './check.ts';
import { surchargePercent } from './configuration.ts';
import { callControl, type LedgerEntry } from './control.ts';
import { httpRequest } from './http-request.ts';
import type { World } from './world.ts';

export interface Refund {
  id: string;
  amount: number;
  status: 'processing' | 'submitted' | 'failed';
  reasonDetails: string | null;
  dueAt: string | null;
  submittedAt: string | null;
}

/** A debit as the control API explains it. */
export interface Debit {
  id: string;
  flow: 'charge' | 'preauthorize';
  state: 'preauthorized' | 'paid' | 'failed' | 'voided';
  amount: number;
  surcharge: number;
  creditCardId: string;
  statement: string;
  refunds: Refund[];
  ledger: LedgerEntry[];
}

/** The answer of GET /debit/{debit_id}/refunds, with amounts in major units. */
interface Summary {
  captured_amount: number;
  submitted_refund_amount: number;
  processing_refund_amount: number;
  refundable_amount: number;
  blocked_refund_amount: number;
  refunds: { id: string; amount: number; status: string }[];
}

/** Compares the acquirer's ledger of one debit with what the API says about it. */
export async function checkDebit(world: World, debit: Debit): Promise<Violation[]> {
  const { status, text } = await httpRequest(`${world.url}/debit/${debit.id}/refunds`, {
    method: 'GET',
    headers: { authorization: `Bearer ${world.token}` },
    timeoutMs: world.answerLimitMs,
  });
  if (status !== 200) return [broken(debit, 'a debit can be asked for', `${status} ${text}`)];
  const ledger = await callControl<LedgerEntry[]>(world, `/control/ledger?payment=${debit.id}`);
  const faults = faultsOf(debit, JSON.parse(text) as Summary, ledger);
  return faults.map((what) =>
    broken(debit, 'what the issuer moved is what the API says', JSON.stringify({ what, text, ledger })),
  );
}

function faultsOf(debit: Debit, reported: Summary, ledger: readonly LedgerEntry[]): string[] {
  const sum = (kind: LedgerEntry['kind'], refund?: string) =>
    ledger
      .filter((entry) => entry.kind === kind && (refund === undefined || entry.refund === refund))
      .reduce((total, entry) => total + minor(entry.amount), 0);
  const refunds = (status: Refund['status']) =>
    debit.refunds
      .filter((refund) => refund.status === status)
      .reduce((total, refund) => total + minor(refund.amount), 0);
  const amount = minor(debit.amount);
  const charged = amount + minor(debit.surcharge);
  const paid = debit.state === 'paid';
  const held = paid || debit.state === 'preauthorized';
  const captured = paid ? amount : 0;
  const submitted = minor(reported.submitted_refund_amount);
  const processing = minor(reported.processing_refund_amount);
  const refundable = minor(reported.refundable_amount);
  const rules: [string, boolean][] = [
    ['one authorization or one refusal', sum('authorized') <= charged && ledger.length > 0],
    ['the surcharge', minor(debit.surcharge) * 100 === amount * surchargePercent],
    ['held', sum('authorized') - sum('reversed') === (held ? charged : 0)],
    ['captured', sum('captured') === (paid ? charged : 0)],
    ['captured_amount', minor(reported.captured_amount) === captured],
    ['moved back', sum('refunded') - sum('returned') === submitted],
    ['submitted', submitted === refunds('submitted')],
    ['processing', processing === refunds('processing')],
    ['the sum', refundable + submitted + processing === (paid ? charged : 0)],
    ['nothing below zero', refundable >= 0 && minor(reported.blocked_refund_amount) <= refundable],
    [
      'each refund',
      debit.refunds.every(
        ({ id, amount: of, status }) =>
          sum('refunded', id) - sum('returned', id) === (status === 'submitted' ? minor(of) : 0),
      ),
    ],
    [
      'the same refunds',
      JSON.stringify(reported.refunds.map(({ id, amount: of, status }) => [id, of, status])) ===
        JSON.stringify(debit.refunds.map(({ id, amount: of, status }) => [id, of, status])),
    ],
  ];
  return rules.filter(([, holds]) => !holds).map(([what]) => what);
}

const minor = (major: number) => Math.round(major * 100);

function broken({ id }: Debit, rule: string, detail: string): Violation {
  return { rule, ids: [id], detail };
}
