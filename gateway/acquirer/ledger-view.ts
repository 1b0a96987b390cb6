import { z } from 'zod';
import { isoTime } from '../../shared/clock.ts';
import { toMajor } from '../../shared/money.ts';
import { type LedgerRow, ledgerKinds } from '../store/rows/acquirer.ts';

export const ledgerEntrySchema = z
  .object({
    at: z.iso.datetime(),
    kind: z.enum(ledgerKinds),
    amount: z.number().meta({ description: 'Major units' }),
    currency: z.string(),
    pspReference: z.string(),
    authCode: z.string().nullable(),
    errorCondition: z.string().nullable(),
    refusalReason: z.string().nullable(),
    attemptId: z
      .string()
      .nullable()
      .meta({ description: 'The attempt of the terminal to which this entry belongs' }),
    card: z
      .string()
      .nullable()
      .meta({ description: 'The masked number of the card that was used at the terminal' }),
    rule: z.string(),
    why: z.string(),
  })
  .meta({ id: 'LedgerEntry', description: 'One entry of the acquirer’s ledger' });

/** Makes the form in which the control API shows an entry of the ledger. */
export function makeLedgerEntryView(row: LedgerRow): z.infer<typeof ledgerEntrySchema> {
  return {
    at: isoTime(row.at),
    kind: row.kind,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    pspReference: row.psp_reference,
    authCode: row.auth_code,
    errorCondition: row.error_condition,
    refusalReason: row.refusal_reason,
    attemptId: row.attempt_id,
    card: row.card,
    rule: row.rule,
    why: row.why,
  };
}
