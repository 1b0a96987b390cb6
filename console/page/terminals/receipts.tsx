import { useState } from 'preact/hooks';
import type { PrintedReceipt } from '../../../shared/emulator/frames.ts';

const copies = { customerReceipt: 'Customer', cashierReceipt: 'Cashier' } as const;

/** Shows the printed receipts, the latest receipt first. Each payment has two copies. */
export function Receipts({
  receipts,
  latest,
}: {
  receipts: readonly PrintedReceipt[];
  latest: string | undefined;
}) {
  const [copy, setCopy] = useState<PrintedReceipt['copy']>('customerReceipt');
  const [back, setBack] = useState(0);
  const payments = [...new Set(receipts.map(({ transactionId }) => transactionId))].reverse();
  if (payments.length === 0) return null;
  const payment = payments[Math.min(back, payments.length - 1)];
  const own = receipts.filter(({ transactionId }) => transactionId === payment);
  const shown = own.findLast((receipt) => receipt.copy === copy) ?? own.at(-1);
  return (
    <details class="receipts">
      <summary>
        Receipts <span class="none">{payments.length}</span>
      </summary>
      <div class="buttons">
        {Object.entries(copies).map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={shown?.copy === name}
            onClick={() => setCopy(name as PrintedReceipt['copy'])}
          >
            {title}
          </button>
        ))}
        <button type="button" disabled={back >= payments.length - 1} onClick={() => setBack(back + 1)}>
          Older
        </button>
        <button type="button" disabled={back === 0} onClick={() => setBack(back - 1)}>
          Newer
        </button>
      </div>
      {latest !== undefined && payments[0] !== latest && back === 0 && (
        <p class="warning">
          This receipt is from an older payment, because the latest payment has no receipt yet. The receipt is
          printed when the payment is approved and the card is out.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre class="paper" tabIndex={0}>
        {shown?.lines.map((line, index) => (
          <span key={index} class={line.bold ? 'bold' : ''}>
            {line.text}
            {'\n'}
          </span>
        ))}
      </pre>
    </details>
  );
}
