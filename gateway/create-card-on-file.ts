import type { Runtime } from '../shared/runtime.ts';
import type { AccountService } from './accounts/service.ts';
import { DebitLedger } from './acquirer/debit-ledger.ts';
import type { Acquirer } from './acquirer/service.ts';
import type { EventStore } from './events/service.ts';
import type { AnyEndpoint } from './http/endpoint.ts';
import { RefundLimits } from './refunds/refund-limits.ts';
import { refundEndpoints } from './refunds/routes.ts';
import { RefundService } from './refunds/service.ts';
import { ContactService } from './saved-cards/contact-service.ts';
import { debitEndpoints } from './saved-cards/routes.ts';
import { DebitService } from './saved-cards/service.ts';
import type { Store } from './store/store.ts';

/** Saved cards, wired: contacts, debits and refunds. */
export interface CardOnFile {
  readonly contacts: ContactService;
  readonly debits: DebitService;
  readonly refunds: RefundService;
  readonly refundLimits: RefundLimits;
  /** The operations of the specification's §4.7–4.11. */
  readonly endpoints: readonly AnyEndpoint[];
  /** From now on nothing happens by itself: what is open is the next process's. */
  stop(): void;
}

/** Opens it over a store. Authorizations and refunds that a former process left open are taken up. */
export async function createCardOnFile(parts: {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  acquirer: Acquirer;
  events: EventStore;
}): Promise<CardOnFile> {
  const { runtime, store, accounts, acquirer, events } = parts;
  const ledger = new DebitLedger(acquirer.ledger);
  const debits = await DebitService.open({ runtime, store, accounts, ledger, events });
  const refunds = await RefundService.open({ runtime, store, accounts, ledger, events });
  return {
    contacts: new ContactService(runtime, store, accounts),
    debits,
    refunds,
    refundLimits: new RefundLimits(runtime, store),
    endpoints: [...debitEndpoints(debits), ...refundEndpoints(refunds)],
    stop: () => {
      debits.stop();
      refunds.stop();
    },
  };
}
