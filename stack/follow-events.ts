import type { Event } from '../client/openapi-types.ts';
import { makeSignedEventMessage } from '../gateway/index.ts';
import type { Clock } from '../shared/clock.ts';
import { explainConnectionError } from '../shared/connection-error.ts';
import { type ControlledGateway, controlClientOf } from './call-control.ts';
import { type FollowOptions, keepFollowing } from './keep-following.ts';

/**
 * Calls `onEvent` with every event of a gateway as it happens, until `signal` aborts. Calls `onOpen` each time that the
 * connection is made.
 */
export async function followEvents(
  gateway: ControlledGateway & FollowOptions & { accountId?: string },
  onEvent: (event: Event) => void,
  onOpen: () => void = () => {},
): Promise<void> {
  const { signal, accountId } = gateway;
  const request = { params: { query: { accountId } }, signal };
  await keepFollowing(async (opened) => {
    const events = await controlClientOf(gateway).stream('/control/events/stream', request);
    opened();
    onOpen();
    for await (const event of events) onEvent(event);
  }, gateway);
}

/** Sends an event to an address. Resolves to the status of the answer, or to the reason why there was none. */
export type EventForwarder = (event: Event) => Promise<string>;

/**
 * Posts events to an address in the form of webhook messages, signed with `secret`. Posts each event once, in the order
 * of the events.
 */
export function createEventForwarder(url: string, secret: string, clock: Clock): EventForwarder {
  let turn: Promise<unknown> = Promise.resolve();
  const post = async ({ createdAt, ...event }: Event) => {
    const { headers, body } = makeSignedEventMessage(
      { ...event, createdAt: Date.parse(createdAt) },
      [secret],
      clock,
    );
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    await response.body?.cancel();
    return `${response.status}`;
  };
  return (event) => {
    const sent = turn.then(() => post(event)).catch(explainConnectionError);
    turn = sent;
    return sent;
  };
}
