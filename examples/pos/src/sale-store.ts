import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Sale {
  id: string;
  /** The amount in major units, as on a price tag. */
  amount: number;
  /** The Idempotency-Key of the payment. Every sale gets a new key. */
  key: string;
  /** The state `open` means that the POS does not yet know whether the customer has paid. */
  state: 'open' | 'paid' | 'notPaid';
  /** The text that the cashier sees. */
  message: string;
  /** Whether the cashier has cancelled the sale. */
  cancelled?: true;
  /** Whether the terminal asks for a tip. */
  asksForTip?: true;
  /** For a paid sale, the tip that the customer added and paid. */
  tip?: number;
  /** For a paid sale, the payment's identifier, by which users can look the payment up later. */
  payment?: string;
}

/**
 * Keeps sales on disk, each in a file of its own. No crash can lose a sale that `put` has stored: `put` first writes a
 * new file and flushes it to the disk, and then replaces the old file with the new one. A database gives the same
 * safety.
 */
export class SaleStore {
  #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  put(sale: Sale): void {
    const file = join(this.#folder, `${sale.id}.json`);
    const written = openSync(`${file}.new`, 'w');
    writeSync(written, JSON.stringify(sale));
    fsyncSync(written);
    closeSync(written);
    renameSync(`${file}.new`, file);
  }

  all(): Sale[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(this.#folder, name), 'utf8')));
  }
}
