import { z } from 'zod';
import { adyenResultType } from '../events/schemas.ts';
import type { Deliverable } from '../events/stored-event.ts';
import { faultDurationSchema, makeFaultFields, makeFaultKindSchemas } from '../faults/fault-kind-schemas.ts';
import { eventTargetFields } from '../faults/fault-target.ts';
import type { Faults } from '../faults/faults.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';

const shapes = [
  makeFaultFields('duplicateEvent', 'The event is sent twice, with the same webhook-id', {}),
  makeFaultFields(
    'reorderEvents',
    'The event is held back until the next event of the same webhook has been sent, or for a minute if no other event follows',
    {},
  ),
  makeFaultFields(
    'delayEvent',
    'The event is sent later. Later events of the same resource wait for this event',
    {
      delayMs: faultDurationSchema,
    },
  ),
  makeFaultFields(
    'loseEvent',
    'The event is lost on its way. The attempt to deliver it counts as failed, and the gateway sends the event again',
    {},
  ),
  makeFaultFields(
    'forgeEvent',
    'The event is followed by a forged copy, with another amount and a wrong signature',
    {},
  ),
] as const;
const eventFault = z.discriminatedUnion(
  'fault',
  makeFaultKindSchemas({ ...eventTargetFields, id: z.uuid() }, shapes),
);

/** A fault that affects an event when the event is sent to a webhook (B290). */
export type EventFault = z.output<typeof eventFault>;

/**
 * Makes a schema for each kind of event fault. Each schema has the fields of its kind, the fields that say which
 * events the fault affects, and the fields in `which`.
 */
export function makeEventFaultSchemas<const Which extends z.ZodRawShape>(which: Which) {
  return makeFaultKindSchemas({ ...which, ...eventTargetFields }, shapes);
}

const allKinds: ReadonlySet<string> = new Set(shapes.map(({ fault }) => fault.value));
/**
 * The kinds of faults that can affect results. `forgeEvent` is left out: a result is not signed, so a forged copy of a
 * result would look genuine.
 */
const kindsForResults: ReadonlySet<string> = new Set([...allKinds].filter((kind) => kind !== 'forgeEvent'));
/** The kinds of faults that can affect a delivery while another delivery to the same webhook waits to be overtaken. */
const kindsThatKeepOrder: ReadonlySet<string> = new Set(
  [...allKinds].filter((kind) => kind !== 'reorderEvents'),
);

function inBoth(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...some].filter((kind) => others.has(kind)));
}

/**
 * Decides which attempts a fault affects, and remembers which deliveries wait until another delivery has overtaken
 * them.
 */
export class EventFaultTracker {
  readonly #faults: Pick<Faults, 'takeForEvent' | 'hasAny'>;
  /**
   * The deliveries that a fault has delayed. No fault affects the next attempt of such a delivery, so that the delays
   * end.
   */
  readonly #delayed = new Set<string>();
  /** For each webhook, the delivery that waits until another delivery has overtaken it. */
  readonly #waitsToBeOvertaken = new Map<string, string>();

  constructor(faults: Pick<Faults, 'takeForEvent' | 'hasAny'>) {
    this.#faults = faults;
  }

  /**
   * Gives the fault that affects an attempt of the schedule (an attempt not made by hand), and counts the fault as
   * used. Returns undefined if there is no such fault, or if the event belongs to a production account.
   */
  async take({ id, webhook_id }: WebhookDeliveryRow, event: Deliverable): Promise<EventFault | undefined> {
    if (this.#waitsToBeOvertaken.get(webhook_id) === id) this.#waitsToBeOvertaken.delete(webhook_id);
    if (this.#delayed.delete(id)) return undefined;
    if (!this.#faults.hasAny || event.environment === 'production') return undefined;
    const possible = event.type === adyenResultType ? kindsForResults : allKinds;
    const kinds = this.#waitsToBeOvertaken.has(webhook_id) ? inBoth(possible, kindsThatKeepOrder) : possible;
    const of = { accountId: event.accountId, endpointId: webhook_id };
    return (await this.#faults.takeForEvent(of, kinds)) as EventFault | undefined;
  }

  /** Notes that a fault has delayed a delivery. */
  noteDelayed({ id, webhook_id }: WebhookDeliveryRow, by: EventFault): void {
    this.#delayed.add(id);
    if (by.fault === 'reorderEvents') this.#waitsToBeOvertaken.set(webhook_id, id);
  }

  /** Forgets a delivery that this gateway no longer sends. */
  forget({ id, webhook_id }: Pick<WebhookDeliveryRow, 'id' | 'webhook_id'>): void {
    this.#delayed.delete(id);
    if (this.#waitsToBeOvertaken.get(webhook_id) === id) this.#waitsToBeOvertaken.delete(webhook_id);
  }

  /** Returns whether this delivery waits until a later delivery has overtaken it. */
  isAside({ id, webhook_id }: Pick<WebhookDeliveryRow, 'id' | 'webhook_id'>): boolean {
    return this.#waitsToBeOvertaken.get(webhook_id) === id;
  }

  /**
   * Gives the identifier of the delivery that this delivery has overtaken; undefined if there is none. The overtaken
   * delivery can be sent now.
   */
  overtakenBy({ id, webhook_id }: Pick<WebhookDeliveryRow, 'id' | 'webhook_id'>): string | undefined {
    const aside = this.#waitsToBeOvertaken.get(webhook_id);
    return aside === id ? undefined : aside;
  }
}
