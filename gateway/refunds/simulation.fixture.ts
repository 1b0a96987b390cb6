import fc from 'fast-check';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { openTestStore } from '../../test/test-store.ts';
import { debitBooksAgree } from '../acquirer/debit-books.ts';
import type { StoredEvent } from '../events/service.ts';
import { ApiError } from '../http/errors.ts';
import { endDeliveries, openServices, type Services, stopServices } from '../services.ts';
import type { CreditState } from '../store/rows/credits.ts';
import type { Store } from '../store/store.ts';
import type { DebitRefunds } from './rows.ts';

/** The cards that are played with: one for every behaviour. */
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

/** `of` chooses among the debits, refunds or payment links there are. Amounts are cents. */
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

/** Saved cards and payment links over a real store on a virtual clock, without HTTP around them. */
export class Simulation {
  readonly runtime: Runtime;
  readonly clock: VirtualClock;
  readonly debits: string[] = [];
  readonly refunds: string[] = [];
  readonly links: string[] = [];
  /** Requests that must each have left one debit. */
  requests = 0;
  published: StoredEvent[] = [];
  #store: Store;
  #services: Services;

  private constructor(runtime: Runtime, store: Store, services: Services) {
    this.runtime = runtime;
    this.clock = runtime.clock as VirtualClock;
    this.#store = store;
    this.#services = services;
    this.#services.events.listen((events) => this.published.push(...events));
  }

  /** `armed` is given every timer's work, to run it when a test likes. */
  static async start(surchargePercent: number, armed?: (run: () => void) => void): Promise<Simulation> {
    const runtime = createRuntime({ clock: 'virtual', seed: 1 });
    const clock = runtime.clock as VirtualClock;
    const arm = clock.setTimeout.bind(clock);
    clock.setTimeout = (run, delayMs) => {
      armed?.(run);
      return arm(run, delayMs);
    };
    const store = await openTestStore({ inFlight: runtime.inFlight });
    const services = await openServices(runtime, store, { publicUrl });
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
    // No customer answers it here: these runs do not test answers.
    const question = { account_id: 'shop', question: 'Which colour?', answer_hash: 'none' };
    await store.write((tx) => tx.insertInto('security_questions').values(question).execute());
    return new Simulation(runtime, store, services);
  }

  /** Does a step: `done`, or the code of the error it met. Anything but an ApiError is thrown. */
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

  known(debitId: string): Promise<DebitRefunds> {
    return this.#services.refunds.summary(caller, debitId);
  }

  books() {
    return debitBooksAgree(this.#store);
  }

  /** Every event that is stored, the first first. */
  async events(): Promise<StoredEvent[]> {
    return (await this.#services.events.list({ limit: 10_000 })).reverse();
  }

  async stored(table: 'debits' | 'refunds' | 'credits'): Promise<string[]> {
    const rows = await this.#store.read((tx) => tx.selectFrom(table).select('id').orderBy('id').execute());
    return rows.map(({ id }) => id);
  }

  async stop(): Promise<void> {
    stopServices(this.#services);
    await endDeliveries(this.#services);
    await this.#store.close();
  }

  async #do(step: Step): Promise<void> {
    const { debits, refunds, refundLimits, credits } = this.#services;
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
        return this.clock.advance(step.ms);
      case 'restart':
        return this.#restart();
    }
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

  /** What a payment link came to. */
  async linkState(id: string): Promise<CreditState> {
    return (await this.#services.credits.get(id)).state;
  }

  /** What a process that stops and one that starts do with what is open. */
  async #restart(): Promise<void> {
    stopServices(this.#services);
    await endDeliveries(this.#services);
    await this.clock.advance(0);
    this.#services = await openServices(this.runtime, this.#store, { publicUrl });
    this.#services.events.listen((events) => this.published.push(...events));
  }
}
