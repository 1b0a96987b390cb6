import { formatIdempotencyKey } from '../shared/dialect-meaning.ts';
import type { JournalDataByKind } from '../shared/journal.ts';
import { makePrintable } from '../shared/printable.ts';
import { type ControlledGateway, followJournal } from '../stack/running-gateway.ts';

/** Prints what a terminal shows for the payment or refund with a given key, until `signal` aborts. */
export async function printScreensOfPayment(
  gateway: ControlledGateway & { signal: AbortSignal },
  key: string,
): Promise<void> {
  let payment: string | undefined;
  await followJournal(gateway, (entry) => {
    if (
      entry.kind === 'payment.accepted' &&
      'idempotencyKey' in entry.data &&
      formatIdempotencyKey(entry.data.idempotencyKey ?? '') === key
    )
      payment = entry.payment;
    if (payment !== undefined && entry.payment === payment && entry.kind === 'terminal.screen')
      console.error(`  ${screenLine(entry.data)}`);
  }).catch((error: Error) => {
    if (!gateway.signal.aborted) console.error(makePrintable(`  (no live progress: ${error.message})`));
  });
}

/** Returns what the terminal asks the customer, e.g. `Tip?  EUR 12.50  15 %  18 %  20 %  Other  No tip`. */
function screenLine({
  title,
  amount,
  lines = [],
  choices = [],
}: JournalDataByKind['terminal.screen']): string {
  return makePrintable([title, amount, lines.join(' '), ...choices].filter(Boolean).join('  '));
}
