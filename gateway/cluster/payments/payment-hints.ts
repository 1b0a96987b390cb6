import { z } from 'zod';
import { outcomeJson, type PaymentOutcome, type StoredOutcome } from '../../payments/core/outcome.ts';
import { type GatewayPaymentOffer, makeGatewayPaymentOffer } from '../../payments/core/payment-offer.ts';
import { type PaymentRow, paymentKinds } from '../../store/rows/payments.ts';
import type { GatewayMembership } from '../gateways.ts';
import type { HintBus } from '../hints/hints.ts';

const offered = z.object({
  id: z.uuid(),
  account_id: z.string(),
  environment: z.enum(['sandbox', 'production']),
  terminal_id: z.string(),
  service_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  idempotency_key: z.string().nullable(),
  accepted_at: z.int(),
  message: z.string(),
  pin_rule: z.string().nullable(),
  // Gateways of an older release send no `needs_link`.
  needs_link: z.literal(1).nullable().default(null),
  kind: z.enum(paymentKinds).default('payment'),
  original_id: z.uuid().nullable().default(null),
}) satisfies z.ZodType<GatewayPaymentOffer>;

/**
 * A message about a payment, which a gateway sends to the terminal's owner. It says that the sender accepted the
 * payment, that the payment is to be aborted, or that a request waits for the payment.
 */
const ofPayment = z.object({
  payment: z.uuid(),
  tell: z.uuid(),
  abort: z.boolean().optional(),
  offer: offered.optional(),
  /**
   * Whether the sender listens for outcomes, which have their own subject. A sender older than 0.2.0 does not listen,
   * and reads the payment's row instead.
   */
  outcomes: z.boolean().optional(),
});

/**
 * The form of a message about a payment: the payment's identifier, followed by the outcome if the payment is concluded.
 * A gateway older than 0.2.0 sends the native API's answer in place of the outcome.
 */
const became = /^([0-9a-f-]{36})(.*)$/s;

/**
 * A message about a payment on a terminal of this gateway. The value undefined means that the sender has become the
 * owner of the terminal.
 */
export type PaymentHint =
  | { payment: string; abort: boolean; offer: GatewayPaymentOffer | undefined }
  | undefined;

/** The handlers for messages about a payment that another gateway runs. */
interface Told {
  /** The payment has changed. */
  changed(paymentId: string): void;
  /** The payment is concluded, and its outcome is stored. */
  concluded(paymentId: string, outcome: StoredOutcome): void;
}

/**
 * The maximum number of gateways that get news about one payment. Without a limit, a foreign user of the NATS server
 * could make this gateway send news to any number of addresses.
 */
const mostTold = 32;

/**
 * Carries messages about payments between gateways. With these messages, a request need not wait until its gateway
 * reads the database again. A message says only what has changed, and the receiver reads the rest in the database. If a
 * message is lost, the receiver finds the change a second later.
 */
export class PaymentHintBus {
  readonly #hints: HintBus;
  /** The name under which other gateways send messages to this one. */
  readonly #address: string;
  readonly #listening = new Map<string, () => void>();
  /**
   * The gateways that asked for news about a payment that this gateway runs. For each gateway, the value says whether
   * it listens for outcomes.
   */
  readonly #told = new Map<string, Map<string, boolean>>();

  constructor({ hints, gateways }: { hints: HintBus; gateways: Pick<GatewayMembership, 'id'> }) {
    this.#hints = hints;
    this.#address = gateways.id;
  }

  /**
   * Sets the handlers for news about payments that other gateways run. This gateway gets news only about payments for
   * which it has asked.
   */
  hear({ changed, concluded }: Told): void {
    this.#hints.subscribe(toGateway(this.#address), (data) => {
      const [, payment, nativeAnswer] = became.exec(String(data)) ?? [];
      if (payment === undefined) return;
      if (nativeAnswer) concluded(payment, { nativeAnswer });
      else changed(payment);
    });
    this.#hints.subscribe(outcomesTo(this.#address), (data) => {
      const [, payment, text = ''] = became.exec(String(data)) ?? [];
      if (payment === undefined) return;
      const outcome = JSON.parse(text) as PaymentOutcome;
      if (outcome.payment !== payment)
        throw new Error(`the outcome belongs to another payment than ${payment}`);
      concluded(payment, outcome);
    });
  }

  /**
   * Call this when this gateway becomes the owner of a terminal. It listens for messages about the terminal, and calls
   * `onHint` for each message. It also tells the former owner, if there is one, that the terminal has a new owner. If
   * `onHint` fails, this gateway finds the same news when it next reads the database.
   */
  owns(terminalId: string, onHint: (hint: PaymentHint) => Promise<void>): void {
    if (this.#listening.has(terminalId)) return;
    this.#hints.publish(toOwner(terminalId));
    const stop = this.#hints.subscribe(toOwner(terminalId), (data) => {
      onHint(this.#readHint(data)).catch(() => {});
    });
    this.#listening.set(terminalId, stop);
  }

  /** Stops listening for messages about a terminal, because another gateway owns it now. */
  lost(terminalId: string): void {
    this.#listening.get(terminalId)?.();
    this.#listening.delete(terminalId);
  }

  /** Sends a payment that this gateway accepted to the owner of the terminal, and asks for news about the payment. */
  offer(row: PaymentRow): void {
    const data = {
      payment: row.id,
      tell: this.#address,
      offer: makeGatewayPaymentOffer(row),
      outcomes: true,
    };
    this.#hints.publish(toOwner(row.terminal_id), data);
  }

  /** Sends the terminal's owner a message about a payment, and asks for news about the payment. */
  ask(terminalId: string, payment: string, abort = false): void {
    this.#hints.publish(toOwner(terminalId), {
      payment,
      tell: this.#address,
      abort,
      outcomes: true,
    });
  }

  /**
   * Sends news about a payment to the gateways that asked for it. If `over` is true, no more news will follow.
   * `outcome` is given if the payment's end is stored.
   */
  tell(payment: string, over: boolean, outcome?: StoredOutcome): void {
    const text = outcome && !('nativeAnswer' in outcome) ? outcomeJson(outcome) : undefined;
    for (const [address, takesOutcomes] of this.#told.get(payment) ?? []) {
      if (takesOutcomes && text) this.#hints.publish(outcomesTo(address), payment + text);
      else this.#hints.publish(toGateway(address), payment);
    }
    if (over) this.#told.delete(payment);
  }

  /** Reads a message, and remembers that its sender wants news about the payment. */
  #readHint(data: unknown): PaymentHint {
    const { success, data: asked } = ofPayment.safeParse(data);
    if (!success) return undefined;
    const { payment, tell, abort = false, offer, outcomes = false } = asked;
    const told = this.#told.get(payment) ?? new Map<string, boolean>();
    if (told.size < mostTold) this.#told.set(payment, told.set(tell, outcomes));
    return { payment, abort, offer };
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
