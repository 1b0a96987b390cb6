import { createHash } from 'node:crypto';
import { maskCardNumbers } from './card-numbers.ts';
import { luhnHolds } from './luhn.ts';
import { maskPan } from './mask-pan.ts';

/** The maximum depth to which a client's value is masked. Anything deeper is replaced by `…`. */
const deepest = 100;
/**
 * The maximum number of different card numbers that a mask remembers. If there are more, the mask forgets all of them.
 */
const mostSeen = 10_000;
const linkSecrets = /(?<=\/pay\/)[\w-]{20,}/gi;

/**
 * Masks texts and values of clients before they are shown. In the masked text, a card number has only its first six and
 * last four digits (B126), and the secret of a payment link is removed.
 *
 * One mask never shows two different card numbers in the same form. For that purpose it remembers a hash of each
 * number. So two shown values are equal only if the real values are equal; lint compares idempotency keys in this way.
 */
export class ClientDataMasker {
  #shown = new Map<string, string>();
  #alike = new Map<string, number>();

  text(text: string): string {
    const masked = maskCardNumbers(text, (digits) => this.#show(digits));
    return masked.length > 25 && masked.includes('/') ? masked.replaceAll(linkSecrets, '****') : masked;
  }

  /** Gives a masked copy of a value. If nothing in the value has to be masked, gives the value itself. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.#number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return '…';
    if (Array.isArray(value)) {
      const masked = value.map((one) => this.value(one, depth + 1));
      return masked.some((one, index) => one !== value[index]) ? masked : value;
    }
    return this.#fields(value as Record<string, unknown>, depth + 1);
  }

  /**
   * Gives a masked copy of the data in a journal entry. The names of the entry's own fields are not masked, because
   * pinpad chose these names.
   */
  data(data: object): object {
    const fields: Record<string, unknown> = { ...data };
    for (const name in fields) {
      const value = fields[name];
      if (typeof value === 'string') fields[name] = this.text(value);
      else if (typeof value === 'object') fields[name] = this.value(value);
    }
    return fields;
  }

  #fields(value: Record<string, unknown>, depth: number): Record<string, unknown> {
    let changed = false;
    const fields = Object.entries(value).map(([name, one]) => {
      const masked = [this.text(name), this.value(one, depth)] as const;
      changed ||= masked[0] !== name || masked[1] !== one;
      return masked;
    });
    return changed ? Object.fromEntries(fields) : value;
  }

  #number(value: number): unknown {
    if (value < 1e11 || !Number.isSafeInteger(value)) return value;
    const digits = String(value);
    return luhnHolds(digits) ? this.#show(digits) : value;
  }

  #show(digits: string): string {
    const hash = createHash('sha256').update(digits).digest('base64');
    const known = this.#shown.get(hash);
    if (known !== undefined) return known;
    if (this.#shown.size >= mostSeen) {
      this.#shown.clear();
      this.#alike.clear();
    }
    const masked = maskPan(digits);
    const nth = (this.#alike.get(masked) ?? 0) + 1;
    this.#alike.set(masked, nth);
    const shown = nth === 1 ? masked : `${masked} (${nth})`;
    this.#shown.set(hash, shown);
    return shown;
  }
}
