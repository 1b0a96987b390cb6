import { z } from 'zod';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Every timeout of the product, in milliseconds, with the row of docs/behaviour.md that sets its default. */
export const timeouts = {
  /** The latest answer to a held payment request (B41). */
  paymentCapMs: 150_000,
  /** Status and latest-request calls are held up to this (B49). */
  statusHoldMs: 30_000,
  /** An abort waits this long for the terminal's acknowledgement (B54). */
  abortHoldMs: 30_000,
  /** A lost payment concludes not before this after its acceptance (B65). */
  lostAfterAcceptanceMs: 190_000,
  /** … and not before this after the loss of the terminal or the gateway's start (B65). */
  lostAfterLossMs: 40_000,
  /** Waiting for a card (B40). */
  cardMs: 120_000,
  /** Tip, each PIN try, application choice (B40). */
  promptMs: minute,
  /** Waiting for the acquirer host (B40). */
  hostMs: 30_000,
  /** Latest request on a terminal looks back this far (B50). */
  latestRequestMs: 48 * hour,
  /** An idempotency key lives this long from its payment's conclusion (B58). */
  idempotencyMs: 48 * hour,
  /** A terminal remembers the ServiceIDs it saw this long (B64). */
  serviceIdMs: 48 * hour,
  /** How often the gateway pings its terminals' links. */
  heartbeatMs: 15_000,
  /** A frame not acknowledged within this means the link is dead. */
  acknowledgeMs: 10_000,
  /** First and longest wait before a terminal dials again; doubles in between, with jitter. */
  reconnectMinMs: 500,
  reconnectMaxMs: 15_000,
  /** A displaced terminal waits this long before it dials again. */
  displacedMs: minute,
  /** An uncaptured authorization of a saved card is released after this time (B75). */
  authorizationMs: 7 * day,
  /** A refund is sent to the customer's bank this long after it was created (B89). */
  refundSubmitMs: 2_000,
  /** A test card whose refund fails after its submission lets it fail this much later (B80). */
  refundRejectionMs: 5_000,
  /** An unused payment link expires after this time (B96). */
  creditExpiryMs: 30 * day,
  /** So many wrong answers lock a payment link for this long (B100). */
  securityLockMs: 15 * minute,
  /** A webhook receiver has this long to answer (B107). */
  webhookAnswerMs: 15_000,
  /** … and that of a result of Adyen's Terminal API this long (B460). */
  resultAnswerMs: 10_000,
  /** One second of the webhooks' retry schedule 5 s, 5 min … 24 h (B107); less makes it all faster. */
  webhookRetryUnitMs: 1_000,
  /** After a rotation the former secret signs as well for this long. */
  webhookRotationMs: day,
  /** Between attempts of an unacknowledged reversal. */
  reversalRetryMs: 5_000,
  /** A client has this long to send the head of a request, from the moment it connects. */
  headersMs: 20_000,
  /** … and this long for all of it. */
  requestMs: minute,
  /** A connection on which nothing more is asked is closed after this. */
  keepAliveMs: 65_000,
  /** A client that takes nothing of its answer for this long, or at most twice as long, is cut off. */
  sendMs: 30_000,
  /** After an answer that ends the connection the client has this long to close its end. */
  lingerMs: 1_000,
  /** Open requests have this long to end at shutdown; a command is gone a second later. */
  shutdownMs: 4_000,
};
export type Timeouts = typeof timeouts;

const milliseconds = z.int().positive().optional();

/** Single timeouts that were set. */
export const timeoutChanges = z.strictObject(
  Object.fromEntries(
    Object.entries(timeouts).map(([name, value]) => [name, milliseconds.meta({ default: value })]),
  ) as Record<keyof Timeouts, typeof milliseconds>,
);

/** What real sockets and their clients need; no scenario waits for it, so no scale makes it shorter. */
const ofTheWire: readonly (keyof Timeouts)[] = [
  'headersMs',
  'requestMs',
  'keepAliveMs',
  'sendMs',
  'lingerMs',
];

/**
 * The defaults, multiplied by `scale` except those of the wire: tests with real processes run the same scenario faster.
 */
export function scaledTimeouts(scale = 1, changes: Partial<Timeouts> = {}): Timeouts {
  const all = { ...timeouts };
  for (const name of Object.keys(all) as (keyof Timeouts)[]) {
    const scaled = ofTheWire.includes(name) ? all[name] : Math.max(1, Math.round(all[name] * scale));
    all[name] = changes[name] ?? scaled;
  }
  return all;
}
