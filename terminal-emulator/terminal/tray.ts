import type { PrintedReceipt } from '../../shared/emulator/frames.ts';
import type { PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { layOutReceipt } from '../receipts/lay-out-receipt.ts';

/** The maximum number of receipts in the tray. */
const trayHolds = 20;

/**
 * Keeps the printed receipts, the newest receipt last. The text of a receipt is laid out only if it is read, which is
 * rare. Before that, the receipt is kept outside the heap, so that the garbage collector does not copy it.
 */
export class ReceiptTray {
  #receipts: { encoded: Buffer; transactionId: string }[] = [];

  put({ text }: { text: string }, transactionId: string): void {
    this.#receipts.push({ encoded: Buffer.from(text), transactionId });
    if (this.#receipts.length > trayHolds) this.#receipts.shift();
  }

  receipts(): PrintedReceipt[] {
    return this.#receipts.map(({ encoded, transactionId }) =>
      layOutReceipt(JSON.parse(encoded.toString()) as PaymentReceipt, transactionId),
    );
  }
}
