import { z } from 'zod';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Every timeout of pinpad, in milliseconds, with its default. Most comments name the row of docs/behaviour.md that
 * defines the timeout.
 */
export const defaultTimeouts = {
  /** A payment request is held for at most this long before it is answered (B41). */
  paymentCapMs: 150_000,
  /** Status and latest-request calls are held for at most this long (B49). */
  statusHoldMs: 30_000,
  /** How long an abort waits for the terminal's acknowledgement (B54). */
  abortHoldMs: 30_000,
  /** The gateway does not conclude a lost payment until this long after the payment's acceptance (B65). */
  lostAfterAcceptanceMs: 190_000,
  /**
   * The gateway does not conclude a lost payment until this long after the terminal was lost or the gateway started
   * (B65).
   */
  lostAfterLossMs: 40_000,
  /** How long a terminal waits for a card (B40). */
  cardMs: 120_000,
  /**
   * How long a terminal waits for the customer at each of these steps: the tip, each PIN try, the choice of an
   * application (B40).
   */
  promptMs: minute,
  /** How long a terminal waits for the acquirer host (B40). */
  hostMs: 30_000,
  /** The latest request on a terminal can no longer be found after this time (B50). */
  latestRequestMs: 48 * hour,
  /** An idempotency key is remembered for this long after its payment was concluded (B58). */
  idempotencyMs: 48 * hour,
  /** A terminal remembers for this long which ServiceIDs it has seen (B64). */
  serviceIdMs: 48 * hour,
  /** How often the gateway pings its terminals' links. */
  heartbeatMs: 15_000,
  /** A link counts as dead if the other end does not acknowledge a frame within this time. */
  acknowledgeMs: 10_000,
  /**
   * The first wait and the longest wait before a terminal dials again. After each failure the wait doubles, with
   * jitter, up to the longest wait.
   */
  reconnectMinMs: 500,
  reconnectMaxMs: 15_000,
  /** If another process has taken over a terminal's connection, the terminal waits this long before it dials again. */
  displacedMs: minute,
  /** An uncaptured authorization of a saved card is released after this time (B75). */
  authorizationMs: 7 * day,
  /** A refund is sent to the customer's bank this long after it was created (B89). */
  refundSubmitMs: 2_000,
  /** If a test card makes a refund fail, the refund fails this long after it was submitted (B80). */
  refundRejectionMs: 5_000,
  /** An unused payment link expires after this time (B96). */
  creditExpiryMs: 30 * day,
  /** A payment link is locked for this long after too many wrong answers (B100). */
  securityLockMs: 15 * minute,
  /** How long a webhook receiver has to answer (B107). */
  webhookAnswerMs: 15_000,
  /** How long a receiver has to answer if the event is a result of Adyen's Terminal API (B460). */
  resultAnswerMs: 10_000,
  /**
   * The webhooks' retry schedule is 5 s, 5 min … 24 h (B107). Each second of that schedule lasts this many
   * milliseconds, so a smaller number makes the whole schedule faster.
   */
  webhookRetryUnitMs: 1_000,
  /** For this long after a secret was rotated, messages are also signed with the former secret. */
  webhookRotationMs: day,
  /** A reversal that was not acknowledged is sent again after this pause. */
  reversalRetryMs: 5_000,
  /** How long a client has to send the head of a request, from the moment it connects. */
  headersMs: 20_000,
  /** How long a client has to send a whole request. */
  requestMs: minute,
  /** How long a connection stays open without another request. */
  keepAliveMs: 65_000,
  /**
   * A client that takes no byte of its answer for this long is cut off. In practice, the client may be cut off as late
   * as after twice this time.
   */
  sendMs: 30_000,
  /** After an answer that ends the connection, the client has this long to close its end of the connection. */
  lingerMs: 1_000,
  /** At shutdown, open requests have this long to end. The process of a command ends at most a second after that. */
  shutdownMs: 4_000,
};
export type Timeouts = typeof defaultTimeouts;

const milliseconds = z.int().positive().optional();

/** Values that replace the default values of single timeouts. */
export const timeoutChangesSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(defaultTimeouts).map(([name, value]) => [name, milliseconds.meta({ default: value })]),
  ) as Record<keyof Timeouts, typeof milliseconds>,
);

/**
 * The timeouts of real sockets and their clients. `scale` does not change these timeouts, because no scenario waits for
 * them.
 */
const ofTheWire: readonly (keyof Timeouts)[] = [
  'headersMs',
  'requestMs',
  'keepAliveMs',
  'sendMs',
  'lingerMs',
];

/**
 * Gives all timeouts: the values in `changes`, and default values for the other timeouts. The default values are
 * multiplied by `scale`, except the timeouts of real sockets and their clients. With a small `scale`, tests with real
 * processes run the same scenario faster.
 */
export function makeTimeouts(scale = 1, changes: Partial<Timeouts> = {}): Timeouts {
  const all = { ...defaultTimeouts };
  for (const name of Object.keys(all) as (keyof Timeouts)[]) {
    const scaled = ofTheWire.includes(name) ? all[name] : Math.max(1, Math.round(all[name] * scale));
    all[name] = changes[name] ?? scaled;
  }
  return all;
}
