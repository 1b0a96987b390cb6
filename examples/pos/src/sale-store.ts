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
  /** Major units, as on the price tag. */
  amount: number;
  /** Sent as Idempotency-Key: a new one for every payment, never used again. */
  key: string;
  /** `open`: whether the customer has paid is not yet known. */
  state: 'open' | 'paid' | 'notPaid';
  /** What the cashier sees. */
  message: string;
  /** The cashier wants the payment to end. */
  cancelled?: true;
  /** The terminal asks for a tip. */
  asksForTip?: true;
  /** Of a paid sale: what the customer added, which was charged as well. */
  tip?: number;
  /** Of a paid sale: the payment's identifier, for looking it up later. */
  payment?: string;
}

/**
 * Sales on disk, a file each. What `put` was given is there after a crash, whenever that comes: first a new file is
 * written through to the disk, then it takes the old one's place. A database does the same.
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
