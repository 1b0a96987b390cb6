import { z } from 'zod';
import type { Hints } from '../peers/hints.ts';
import type { PaymentRow } from '../store/rows/payments.ts';
import { type Offer, offerOf, offerSchema } from './offer.ts';
import { outcomeText, type PaymentOutcome, type StoredOutcome } from './outcome.ts';

/** A payment that was accepted, or is to be aborted, on a terminal of another gateway's; or whose end is waited for. */
const ofPayment = z.object({
  payment: z.uuid(),
  tell: z.uuid(),
  abort: z.boolean().optional(),
  offer: offerSchema.optional(),
  /** The gateway that asks takes outcomes, on a subject of their own. One of before 0.2.0 reads the payment's row instead. */
  outcomes: z.boolean().optional(),
});

/** A payment's identifier and the text behind it: its outcome, or from a gateway of before 0.2.0 the native API's answer. */
const became = /^([0-9a-f-]{36})(.*)$/s;

interface NudgesParts {
  hints: Hints;
  /** How the others reach this gateway. */
  address: string;
  /** Somebody has put something for this terminal into the database: this payment, where he says so. */
  look(terminalId: string, offer?: Offer): Promise<void>;
  /** Somebody says that the terminal is his. */
  verify(terminalId: string): Promise<void>;
  /** Whether the payment is open and run here. */
  runs(paymentId: string): boolean;
  /** Something became of a payment that another gateway runs. */
  changed(paymentId: string): void;
  /** Another gateway has concluded it, and its outcome is on disk. */
  concluded(paymentId: string, outcome: StoredOutcome): void;
}

/** So many gateways at most are told of one payment: a stranger may name as many as he likes. */
const mostTold = 32;

/**
 * What gateways tell each other of payments, so that nobody has to wait until he looks the next time. What is told is
 * read in the database then, and what gets lost is found there a second later.
 */
export class Nudges {
  readonly #parts: NudgesParts;
  readonly #listening = new Map<string, () => void>();
  /** The gateways that want to hear of a payment that is run here, and whether each takes outcomes. */
  readonly #told = new Map<string, Map<string, boolean>>();

  constructor(parts: NudgesParts) {
    this.#parts = parts;
    parts.hints.subscribe(toGateway(parts.address), (data) => {
      const [, payment, nativeAnswer] = became.exec(String(data)) ?? [];
      if (payment === undefined) return;
      if (nativeAnswer) parts.concluded(payment, { nativeAnswer });
      else parts.changed(payment);
    });
    parts.hints.subscribe(outcomesTo(parts.address), (data) => {
      const [, payment, text = ''] = became.exec(String(data)) ?? [];
      if (payment === undefined) return;
      const outcome = JSON.parse(text) as PaymentOutcome;
      if (outcome.payment !== payment) throw new Error(`an outcome that is not of payment ${payment}`);
      parts.concluded(payment, outcome);
    });
  }

  /** From now on the terminal is this gateway's: its former owner, if it has one, finds that out. */
  owns(terminalId: string): void {
    if (this.#listening.has(terminalId)) return;
    const { hints } = this.#parts;
    hints.publish(toOwner(terminalId));
    const stop = hints.subscribe(toOwner(terminalId), (data) => {
      this.#nudged(terminalId, data).catch(() => {}); // the next sweep finds it
    });
    this.#listening.set(terminalId, stop);
  }

  /** The terminal is another's. */
  lost(terminalId: string): void {
    this.#listening.get(terminalId)?.();
    this.#listening.delete(terminalId);
  }

  /** Tells the terminal's owner of a payment that is accepted, and wants to be told what becomes of it. */
  offer(row: PaymentRow): void {
    const data = { payment: row.id, tell: this.#parts.address, offer: offerOf(row), outcomes: true };
    this.#parts.hints.publish(toOwner(row.terminal_id), data);
  }

  /** Tells the terminal's owner of a payment, and wants to be told what becomes of it. */
  ask(terminalId: string, payment: string, abort = false): void {
    this.#parts.hints.publish(toOwner(terminalId), {
      payment,
      tell: this.#parts.address,
      abort,
      outcomes: true,
    });
  }

  /**
   * Tells the gateways that wanted to hear of it. `over`: there is no more to come; `outcome`: of a payment whose end is on
   * disk.
   */
  tell(payment: string, over: boolean, outcome?: StoredOutcome): void {
    const text = outcome && !('nativeAnswer' in outcome) ? outcomeText(outcome) : undefined;
    for (const [address, takesOutcomes] of this.#told.get(payment) ?? []) {
      if (takesOutcomes && text) this.#parts.hints.publish(outcomesTo(address), payment + text);
      else this.#parts.hints.publish(toGateway(address), payment);
    }
    if (over) this.#told.delete(payment);
  }

  async #nudged(terminalId: string, data: unknown): Promise<void> {
    const { look, verify, runs } = this.#parts;
    const { success, data: asked } = ofPayment.safeParse(data);
    if (!success) return verify(terminalId);
    const { payment, tell, abort, offer, outcomes = false } = asked;
    const told = this.#told.get(payment) ?? new Map<string, boolean>();
    if (told.size < mostTold) this.#told.set(payment, told.set(tell, outcomes));
    if (abort || !runs(payment)) await look(terminalId, offer);
    if (!runs(payment)) this.tell(payment, true);
  }
}

function toOwner(terminalId: string): string {
  return `terminal.${terminalId}`;
}

function toGateway(address: string): string {
  return `payments.${address}`;
}

function outcomesTo(address: string): string {
  return `outcomes.${address}`;
}
