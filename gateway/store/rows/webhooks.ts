import type { OwnerColumns } from '../ownership.ts';

/** An address to which events of an account are sent. */
export interface WebhookRow extends OwnerColumns {
  id: string;
  url: string;
  description: string;
  /** The event types that are sent, as a JSON array; null for all types. */
  types: string | null;
  /** The secret in plain text, because messages are signed with it. */
  secret: string;
  /** The secret before the last rotation. Until `former_until`, messages are signed with it too. */
  former_secret: string | null;
  former_until: number | null;
  /** The time at which the webhook was disabled; null if events are sent. */
  disabled_at: number | null;
  disabled_why: string | null;
  created_at: number;
}

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** The delivery of one event to one webhook. */
export interface WebhookDeliveryRow extends OwnerColumns {
  id: string;
  webhook_id: string;
  event_id: string;
  /** The number of the event (`seq`). The events of one resource are sent in the order of this number. */
  event_seq: number;
  resource_id: string;
  state: DeliveryState;
  why: string;
  /** The number of attempts that followed the schedule. Attempts that a person started are not counted. */
  tries: number;
  /** The time of the next attempt; null if the delivery has ended. */
  due_at: number | null;
  created_at: number;
  ended_at: number | null;
}

/** One attempt of a delivery, with its result. The row never changes. */
export interface WebhookAttemptRow {
  id: string;
  delivery_id: string;
  at: number;
  duration_ms: number;
  by: 'schedule' | 'hand' | 'fault';
  status: number | null;
  error: string | null;
  /** The first part of the receiver's answer. */
  answer: string | null;
}

/**
 * A notice about a delivery, for the gateway that sends events. The delivery is new, or a person has requested to send
 * it again.
 */
export interface DeliveryWakeUpRow {
  id: string;
  delivery_id: string;
}
