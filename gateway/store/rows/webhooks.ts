import type { Owned } from '../ownership.ts';

/** The address to which an account's events go. */
export interface WebhookRow extends Owned {
  id: string;
  url: string;
  description: string;
  /** A JSON array of event types; null for all. */
  types: string | null;
  /** In plain text, because signing needs it. */
  secret: string;
  /** The secret before the last rotation. It also signs, until `former_until`. */
  former_secret: string | null;
  former_until: number | null;
  /** Set if nothing is sent to the address. */
  disabled_at: number | null;
  disabled_why: string | null;
  created_at: number;
}

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** One event on its way to one webhook. */
export interface WebhookDeliveryRow extends Owned {
  id: string;
  webhook_id: string;
  event_id: string;
  /** The seq of the event, so that events of one resource go out in order. */
  event_seq: number;
  resource_id: string;
  state: DeliveryState;
  why: string;
  /** The tries that the schedule made, without those made by hand. */
  tries: number;
  /** When the delivery is tried next; null if it has ended. */
  due_at: number | null;
  created_at: number;
  ended_at: number | null;
}

/** One try of a delivery, with its result. It never changes. */
export interface WebhookAttemptRow {
  id: string;
  delivery_id: string;
  at: number;
  duration_ms: number;
  by: 'schedule' | 'hand' | 'fault';
  status: number | null;
  error: string | null;
  /** The beginning of the receiver's answer. */
  answer: string | null;
}

/** Tells the gateway that delivers to look at a delivery that is new or was sent by hand. */
export interface DeliveryNoticeRow {
  id: string;
  delivery_id: string;
}
