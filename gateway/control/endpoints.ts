import type { AnyEndpoint } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { accountEndpoints } from './accounts.ts';
import { beliefEndpoints } from './beliefs.ts';
import { bookEndpoints } from './books.ts';
import { cardEndpoints } from './cards.ts';
import { clockEndpoints } from './clock.ts';
import { contactEndpoints } from './contacts.ts';
import { creditControlEndpoints } from './credits.ts';
import { debitControlEndpoints } from './debits.ts';
import { eventStreamEndpoints } from './event-stream.ts';
import { eventEndpoints } from './events.ts';
import { faultEndpoints } from './faults.ts';
import { findingEndpoints } from './findings.ts';
import { giveBackEndpoints } from './give-back.ts';
import { journalEndpoints } from './journal.ts';
import { momentEndpoints } from './moments.ts';
import { outcomeEndpoints } from './outcomes.ts';
import { overviewEndpoints } from './overview.ts';
import { paymentControlEndpoints } from './payments.ts';
import { terminalPowerCutEndpoints } from './power-cut.ts';
import { refundControlEndpoints } from './refunds.ts';
import { saleEndpoints } from './sales.ts';
import { screenEndpoints } from './screen.ts';
import { storeAndTerminalEndpoints } from './stores-and-terminals.ts';
import { terminalActionEndpoints } from './terminal-actions.ts';
import { webhookEndpoints } from './webhooks.ts';

type Resource = (services: Services) => AnyEndpoint[];

/** The endpoints of the control API, by resource. */
export const controlEndpointMakers: readonly Resource[] = [
  overviewEndpoints,
  accountEndpoints,
  storeAndTerminalEndpoints,
  terminalActionEndpoints,
  terminalPowerCutEndpoints,
  momentEndpoints,
  screenEndpoints,
  cardEndpoints,
  outcomeEndpoints,
  faultEndpoints,
  findingEndpoints,
  saleEndpoints,
  beliefEndpoints,
  paymentControlEndpoints,
  giveBackEndpoints,
  contactEndpoints,
  debitControlEndpoints,
  refundControlEndpoints,
  creditControlEndpoints,
  eventEndpoints,
  eventStreamEndpoints,
  webhookEndpoints,
  bookEndpoints,
  clockEndpoints,
  journalEndpoints,
].map(withoutReaders);

/**
 * Makes sure that read-only requests add no entries to the journal. Otherwise a client that reads the journal would
 * fill the journal with entries about its own requests.
 */
function withoutReaders(resource: Resource): Resource {
  return (services) =>
    resource(services).map((each) => (each.method === 'get' ? { ...each, journaled: 'nothing' } : each));
}
