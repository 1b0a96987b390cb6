import type { Runtime } from '../shared/runtime.ts';
import type { AccountService } from './accounts/service.ts';
import { payPageEndpoints } from './credits/page/pay-endpoints.ts';
import { creditEndpoints } from './credits/routes.ts';
import { SecurityQuestions } from './credits/security-questions.ts';
import { CreditService } from './credits/service.ts';
import { LinkVisits } from './credits/visits.ts';
import type { EventStore } from './events/service.ts';
import type { AnyEndpoint } from './http/endpoint.ts';
import type { Store } from './store/store.ts';

/** Payment links, wired: what merchants call, and the page of their customers. */
export interface Credits {
  readonly credits: CreditService;
  readonly questions: SecurityQuestions;
  readonly endpoints: readonly AnyEndpoint[];
  /** From now on nothing happens by itself: what is open is the next process's. */
  stop(): void;
}

/** Opens it over a store. `baseUrl` gives where customers reach this gateway, once it listens. */
export async function createCredits(parts: {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  events: EventStore;
  baseUrl: () => string;
}): Promise<Credits> {
  const { runtime, store, accounts, events, baseUrl } = parts;
  const questions = new SecurityQuestions(runtime, store, accounts);
  const credits = await CreditService.open({ runtime, store, accounts, events, questions });
  const https = () => new URL(baseUrl()).protocol === 'https:';
  const visits = new LinkVisits(runtime, store, questions);
  return {
    credits,
    questions,
    endpoints: [
      ...creditEndpoints(credits, (secret) => new URL(`/pay/${secret}`, baseUrl()).href),
      ...payPageEndpoints({ runtime, accounts, credits, visits, questions, https }),
    ],
    stop: () => credits.stop(),
  };
}
