import { useState } from 'preact/hooks';
import type { PaymentExplained } from './kinds.ts';

type Receipt = NonNullable<NonNullable<PaymentExplained['answer']>['paymentReceipt']>[number];

const copies = { customerReceipt: 'Customer', cashierReceipt: 'Cashier' } as const;

/** The receipts in the gateway's answer, in the form in which the point of sale may print them. */
export function AnswerReceipts({ receipts }: { receipts: readonly Receipt[] }) {
  const [copy, setCopy] = useState<Receipt['documentQualifier']>('customerReceipt');
  const shown = receipts.find(({ documentQualifier }) => documentQualifier === copy) ?? receipts[0];
  if (!shown) return null;
  return (
    <details class="receipts">
      <summary>Receipts for the point of sale</summary>
      <div class="buttons">
        {receipts.map(({ documentQualifier }) => (
          <button
            key={documentQualifier}
            type="button"
            aria-pressed={documentQualifier === shown.documentQualifier}
            onClick={() => setCopy(documentQualifier)}
          >
            {copies[documentQualifier]}
          </button>
        ))}
      </div>
      <div class="paper answer-receipt">
        {shown.outputContent.outputText.map(({ text, characterStyle }, index) => (
          <p key={index} class={`receipt-line ${characterStyle === 'bold' ? 'bold' : ''}`}>
            <span>{text.name}</span>
            {text.value !== undefined && <span>{text.value}</span>}
          </p>
        ))}
      </div>
    </details>
  );
}
