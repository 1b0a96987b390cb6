import fc from 'fast-check';
import { createRuntime } from '../../shared/create-runtime.ts';
import { IdentifierGenerator, makeSeededRandom } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { openTestStore } from '../../test/test-store.ts';
import { compareDebitBooks } from '../acquirer/debit-books.ts';
import { type Cluster, openCluster } from '../cluster/cluster.ts';
import { readExpiringCredits } from '../credits/rows.ts';
import type { StoredEvent } from '../events/stored-event.ts';
import { ApiError } from '../http/errors.ts';
import { readDueRefunds, readExpiringAuthorizations } from '../saved-cards/rows.ts';
import { endDeliveries, openServices, type Services, stopServices } from '../services.ts';
import type { CreditState } from '../store/rows/credits.ts';
import { type GatewayStore, openGatewayStore } from '../store/store.ts';
import type { DebitWithRefunds } from './rows.ts';

/** The cards of the simulation, one for each behaviour. */
const cards = [
  'visa',
  'declined',
  'fails-at-capture',
  'refund-fails-at-once',
  'refund-cannot-be-sent',
  'refund-fails-later',
] as const;
export type Card = (typeof cards)[number];

type Each<Do extends string, More> = { [One in Do]: { do: One } & More }[Do];

/**
 * A step of the simulation. `of` selects one of the existing debits, refunds or payment links. Amounts are in cents.
 */
export type Step =
  | Each<'charge' | 'preauthorize', { card: Card; cents: number }>
  | Each<'capture' | 'expire' | 'close' | 'submit' | 'fail', { of: number }>
  | Each<'refund' | 'block', { of: number; cents: number }>
  | Each<'link', { cents: number }>
  | Each<'accept', { of: number; refuses: boolean }>
  | Each<'refuseLater' | 'runOut', { of: number }>
  | { do: 'advance'; ms: number }
  | { do: 'restart' };

const cents = fc.integer({ min: 1, max: 2000 });
const of = fc.nat(20);
const hour = 3_600_000;
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  weighted(3, fc.record({ do: fc.constant('charge'), card: fc.constantFrom(...cards), cents })),
  weighted(3, fc.record({ do: fc.constant('preauthorize'), card: fc.constantFrom(...cards), cents })),
  weighted(3, fc.record({ do: fc.constant('capture'), of })),
  weighted(8, fc.record({ do: fc.constant('refund'), of, cents })),
  weighted(1, fc.record({ do: fc.constant('expire'), of })),
  weighted(
    2,
    fc.record({ do: fc.constantFrom('submit' as const, 'fail' as const), of }) as fc.Arbitrary<Step>,
  ),
  weighted(2, fc.record({ do: fc.constant('block'), of, cents: fc.oneof(fc.constant(0), cents) })),
  weighted(1, fc.record({ do: fc.constant('close'), of })),
  weighted(
    3,
    fc.record({
      do: fc.constant('advance'),
      ms: fc.constantFrom(1, 1999, 2000, 5000, hour, 170 * hour, 721 * hour),
    }),
  ),
  weighted(2, fc.record({ do: fc.constant('link'), cents })),
  weighted(2, fc.record({ do: fc.constant('accept'), of, refuses: fc.boolean() })),
  weighted(
    1,
    fc.record({ do: fc.constantFrom('refuseLater' as const, 'runOut' as const), of }) as fc.Arbitrary<Step>,
  ),
  weighted(1, fc.record({ do: fc.constant('restart') })),
);

const publicUrl = 'http://127.0.0.1';
const caller = { accountId: 'shop', environment: 'sandbox' } as const;

/** A gateway of the simulation, without HTTP. */
interface Member {
  runtime: Runtime;
  store: GatewayStore;
  /** The connection to the other gateways of the database; undefined for a lone gateway with a store in SQLite. */
  cluster: Cluster | undefined;
  services: Services;
}

interface Given {
  surchargePercent: number;
  /** Receives the work of every timer, so that a test can run the work at any time. */
  armed?: (run: () => void) => void;
  /** The URL of an empty PostgreSQL database. If it is given, two gateways share it. */
  database?: string;
}

/**
 * Runs saved cards and payment links over real stores, on a virtual clock. If there are two gateways, they take turns:
 * each step is done by the next gateway.
 */
export class Simulation {
  readonly runtime: Runtime;
  readonly clock: VirtualClock;
  readonly debits: string[] = [];
  readonly refunds: string[] = [];
  readonly links: string[] = [];
  /** The number of requests so far. Each request must have made one debit. */
  requests = 0;
  published: StoredEvent[] = [];
  readonly #members: Member[];
  #turn = 0;

  private constructor(runtime: Runtime, members: Member[]) {
    this.runtime = runtime;
    this.clock = runtime.clock as VirtualClock;
    this.#members = members;
    this.#follow();
  }

  static async start({ surchargePercent, armed, database }: Given): Promise<Simulation> {
    const runtime = createRuntime({ clock: 'virtual', seed: 1 });
    const clock = runtime.clock as VirtualClock;
    const arm = clock.setTimeout.bind(clock);
    clock.setTimeout = (run, delayMs) => {
      armed?.(run);
      if (database === undefined || delayMs > 0) return arm(run, delayMs);
      // The timer's work begins now, while requests are being handled. The clock itself would begin the work only
      // after the requests are answered.
      const done = runtime.inFlight.begin();
      return setImmediate(() => {
        run();
        done();
      });
    };
    const members = database === undefined ? [await alone(runtime)] : [await among(runtime, database, 1)];
    const [{ services, store }] = members as [Member];
    const { accounts, contacts } = services;
    await accounts.createAccount({
      id: 'shop',
      name: 'Shop',
      currency: 'EUR',
      cardOnFile: true,
      surchargePercent,
    });
    await contacts.createContact({ id: 'robin', accountId: 'shop', name: 'Robin' });
    for (const card of cards) await contacts.createCard('robin', { id: card, card });
    await contacts.createBankAccount({ id: 'bank', accountId: 'shop', name: 'Bank' });
    // No customer answers this security question, because the simulation does not test answers.
    const question = { account_id: 'shop', question: 'Which colour?', answer_hash: 'none' };
    await store.write((tx) => tx.insertInto('security_questions').values(question).execute());
    if (database !== undefined) members.push(await among(runtime, database, 2));
    return new Simulation(runtime, members);
  }

  /** Does a step. Gives `done`, or the code of an ApiError. Any other error is thrown. */
  async do(step: Step): Promise<string> {
    try {
      await this.#do(step);
      return 'done';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.fields?.debit_id && !this.debits.includes(error.fields.debit_id))
        this.debits.push(error.fields.debit_id);
      return error.code;
    }
  }

  known(debitId: string): Promise<DebitWithRefunds> {
    return this.#next().services.refunds.summary(caller, debitId);
  }

  books() {
    return compareDebitBooks(this.#next().store);
  }

  /** Gives all stored events, the oldest first. */
  async events(): Promise<StoredEvent[]> {
    return (await this.#next().services.events.list({ limit: 10_000 })).reverse();
  }

  async stored(table: 'debits' | 'refunds' | 'credits'): Promise<string[]> {
    const rows = await this.#next().store.read((tx) =>
      tx.selectFrom(table).select('id').orderBy('id').execute(),
    );
    return rows.map(({ id }) => id);
  }

  async stop(): Promise<void> {
    for (const { services, store, cluster } of this.#members) {
      stopServices(services);
      await endDeliveries(services);
      await cluster?.close();
      await store.close();
    }
  }

  /** Moves the time forward. If there are two gateways, both look for work at each time at which work is due. */
  async advance(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    if (this.#members.length > 1)
      for (let due = await this.#firstDue(); due <= until; due = await this.#firstDue()) {
        await this.clock.advanceTo(due);
        await this.look();
        await this.clock.advance(0);
      }
    await this.clock.advanceTo(until);
  }

  /** If there are several gateways, makes all of them look for work that is due. */
  async look(): Promise<void> {
    await Promise.all(this.#members.map(({ cluster }) => cluster?.leases.askNow()));
  }

  /** Gives the gateway whose turn it is. */
  #next(): Member {
    return this.#members[this.#turn++ % this.#members.length] as Member;
  }

  /**
   * Collects all events at the first gateway. A restarted gateway reports the latest events again, so known events are
   * left out.
   */
  #follow(): void {
    const [{ services }] = this.#members as [Member];
    const known = new Set(this.published.map(({ id }) => id));
    services.events.listen((events) => this.published.push(...events.filter(({ id }) => !known.has(id))));
  }

  /** Resolves when all events are in {@link published}. */
  async reported(): Promise<void> {
    await this.#members[0]?.services.events.reportOtherGateways();
  }

  /** Gives the time at which the next stored work is due. */
  async #firstDue(): Promise<number> {
    const [{ store }] = this.#members as [Member];
    const moments = await store.read(async (tx) => [
      ...(await readExpiringAuthorizations(tx)).map(({ expires_at }) => expires_at),
      ...(await readDueRefunds(tx)).map(({ due_at }) => due_at),
      ...(await readExpiringCredits(tx)).map(({ expires_at }) => expires_at),
    ]);
    return Math.min(...moments.filter((moment) => moment !== null));
  }

  async #do(step: Step): Promise<void> {
    const member = this.#next();
    const { debits, refunds, refundLimits, credits } = member.services;
    switch (step.do) {
      case 'charge':
      case 'preauthorize': {
        this.requests++;
        const given = { contactId: 'robin', toBankAccountId: 'bank', statement: 'ORDER' };
        const order = { caller, creditCardId: step.card, amount: step.cents / 100, ...given };
        this.debits.push((await debits[step.do](order)).id);
        return;
      }
      case 'capture':
        return void (await debits.capture(caller, this.debit(step.of)));
      case 'expire':
        return void (await debits.expire(this.debit(step.of)));
      case 'close':
        return void (await refundLimits.close(this.debit(step.of), 'closed'));
      case 'block':
        return void (await refundLimits.block(this.debit(step.of), step.cents, 'blocked'));
      case 'refund': {
        const body = { amount: step.cents / 100, reason: 'other' } as const;
        this.refunds.push((await refunds.create(caller, this.debit(step.of), body)).id);
        return;
      }
      case 'link': {
        const to = { statement: 'DEPOSIT', from_bank_account: 'bank', contact_id: 'robin' };
        this.links.push((await credits.create(caller, { amount: step.cents / 100, ...to })).credit.id);
        return;
      }
      case 'accept': {
        const bank = { kind: 'iban', masked: '**** 3000', refuses: step.refuses } as const;
        return void (await credits.accept(this.link(step.of), bank));
      }
      case 'refuseLater':
        return void (await credits.refuseLater(this.link(step.of), 'refused'));
      case 'runOut':
        return void (await credits.expire(this.link(step.of)));
      case 'submit':
        return void (await refunds.submit(this.refund(step.of)));
      case 'fail':
        return void (await refunds.fail(this.refund(step.of), 'failed'));
      case 'advance':
        return this.advance(step.ms);
      case 'restart':
        return this.#restart(member);
    }
  }

  /** Does a step, and calls `meanwhile` between the step's decision and its commit. */
  doWhileWriting(step: Step, meanwhile: () => void): Promise<string> {
    const { store } = this.#next();
    const commit = store.commit.bind(store);
    store.commit = (changes) => {
      store.commit = commit;
      meanwhile();
      return commit(changes);
    };
    return this.do(step);
  }

  debit(of: number): string {
    return this.debits[of % Math.max(1, this.debits.length)] ?? 'none';
  }

  refund(of: number): string {
    return this.refunds[of % Math.max(1, this.refunds.length)] ?? 'none';
  }

  link(of: number): string {
    return this.links[of % Math.max(1, this.links.length)] ?? 'none';
  }

  /** Gives the state of a payment link. */
  async linkState(id: string): Promise<CreditState> {
    return (await this.#next().services.credits.get(id)).state;
  }

  /** Restarts a gateway: one process stops, and a new process takes over all open work. */
  async #restart(member: Member): Promise<void> {
    const { runtime, store, cluster } = member;
    stopServices(member.services);
    await endDeliveries(member.services);
    await cluster?.close();
    await this.clock.advance(0);
    member.cluster = cluster && (await openCluster(runtime, store));
    member.services = await openServices(runtime, store, { publicUrl, cluster: member.cluster });
    if (member === this.#members[0]) this.#follow();
  }
}

async function alone(runtime: Runtime): Promise<Member> {
  const store = await openTestStore({ inFlight: runtime.inFlight });
  return { runtime, store, cluster: undefined, services: await openServices(runtime, store, { publicUrl }) };
}

/** Opens one of several gateways. The gateways share a clock. Each gateway has random numbers of its own. */
async function among(shared: Runtime, url: string, seed: number): Promise<Member> {
  const random = makeSeededRandom(seed);
  const runtime = { ...shared, random, identifiers: new IdentifierGenerator(shared.clock, random) };
  const store = await openGatewayStore({ url, clock: runtime.realClock, inFlight: runtime.inFlight });
  const cluster = await openCluster(runtime, store);
  return { runtime, store, cluster, services: await openServices(runtime, store, { publicUrl, cluster }) };
}
