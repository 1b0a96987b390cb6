import type { PrintedReceipt } from '../../shared/emulator/frames.ts';
import type { PaymentReceipt } from '../../shared/nexo/bodies.ts';
import type { EncodedReceipt } from '../receipts/build-receipts.ts';
import { printReceipt } from '../receipts/print-receipt.ts';

/** Receipts that stay in the tray. */
const trayHolds = 20;

/** Where printed receipts lie, the newest last. They are laid out only when they are read. */
export class Tray {
  #receipts: { receipt: EncodedReceipt; transactionId: string }[] = [];

  put(receipt: EncodedReceipt, transactionId: string): void {
    this.#receipts.push({ receipt, transactionId });
    if (this.#receipts.length > trayHolds) this.#receipts.shift();
  }

  receipts(): PrintedReceipt[] {
    return this.#receipts.map(({ receipt, transactionId }) =>
      printReceipt(JSON.parse(receipt.text) as PaymentReceipt, transactionId),
    );
  }
}
