import type { AnyEndpoint } from '../http/endpoint.ts';
import { accountEndpoints } from './accounts.ts';
import { bookEndpoints } from './books.ts';
import { cardEndpoints } from './cards.ts';
import { clockEndpoints } from './clock.ts';
import { contactEndpoints } from './contacts.ts';
import { creditControlEndpoints } from './credits.ts';
import { debitControlEndpoints } from './debits.ts';
import { eventStreamEndpoints } from './event-stream.ts';
import { eventEndpoints } from './events.ts';
import { faultEndpoints } from './faults.ts';
import { journalEndpoints } from './journal.ts';
import { outcomeEndpoints } from './outcomes.ts';
import { overviewEndpoints } from './overview.ts';
import type { ControlParts } from './parts.ts';
import { paymentControlEndpoints } from './payments.ts';
import { refundControlEndpoints } from './refunds.ts';
import { screenEndpoints } from './screen.ts';
import { storeAndTerminalEndpoints } from './stores-and-terminals.ts';
import { terminalActionEndpoints } from './terminal-actions.ts';
import { webhookEndpoints } from './webhooks.ts';

/** The control API (design §8). Who only looks leaves no trace: a journal full of its own readers would be useless. */
export function controlEndpoints(parts: ControlParts): AnyEndpoint[] {
  const endpoints = [
    ...overviewEndpoints(parts),
    ...accountEndpoints(parts),
    ...storeAndTerminalEndpoints(parts),
    ...terminalActionEndpoints(parts),
    ...screenEndpoints(parts),
    ...cardEndpoints(parts),
    ...outcomeEndpoints(parts),
    ...faultEndpoints(parts),
    ...paymentControlEndpoints(parts),
    ...contactEndpoints(parts),
    ...debitControlEndpoints(parts),
    ...refundControlEndpoints(parts),
    ...creditControlEndpoints(parts),
    ...eventEndpoints(parts),
    ...eventStreamEndpoints(parts),
    ...webhookEndpoints(parts),
    ...bookEndpoints(parts),
    ...clockEndpoints(parts),
    ...journalEndpoints(parts),
  ];
  return endpoints.map((each) => (each.method === 'get' ? { ...each, journaled: 'nothing' } : each));
}
