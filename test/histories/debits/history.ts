import { decide } from '../../../gateway/saved-cards/core/lifecycle.ts';
import {
  type Effect,
  type Input,
  refundStateOf,
  type Step,
  stateOf,
} from '../../../gateway/saved-cards/core/step.ts';
import {
  handleDebitInput,
  makeDebitEngine,
  makeRecentDebits,
  type RecentDebits,
} from '../../../gateway/saved-cards/debit-engine.ts';
import type { Owner } from '../../../gateway/store/ownership.ts';
import type { DebitRow, SavedCardRow } from '../../../gateway/store/rows/saved-cards.ts';
import { noInFlightTracking } from '../../../shared/in-flight.ts';
import { makeSeededRandom, type Random } from '../../../shared/random.ts';
import type { Coverage } from '../coverage.ts';
import { type DatabaseClient, DiskFullError, LateDatabase } from '../late-database.ts';
import { DebitDisk } from './disk.ts';

/** The parts of a history of debits that a planted bug may replace. */
export interface DebitBugParts {
  decides: typeof decide;
  /** Whether a batch is refused if the stored debit has changed since the decision that made the batch. */
  versions: boolean;
  /** What a commit answers if the disk is full. */
  noRoom: 'refused' | 'applied';
}

export const noBug: DebitBugParts = { decides: decide, versions: true, noRoom: 'refused' };

/** The pairs of state and input that the histories have met, for the tables of debits and of refunds. */
export interface DebitCoverage {
  debits: Coverage;
  refunds: Coverage;
}

interface Gateway {
  readonly client: DatabaseClient;
  readonly recent: RecentDebits | undefined;
  readonly engine: ReturnType<typeof makeDebitEngine<{ run(effects: readonly Effect[]): void }>>;
}

const holdMs = 10_000_000;
const timeouts = { authorizationMs: holdMs, refundSubmitMs: 2_000, refundRejectionMs: 5_000 };
const caller = { accountId: 'shop', environment: 'sandbox' } as const;
const stranger = { ...caller, accountId: 'stranger' };
const cards = [
  'visa',
  'visa',
  'declined',
  'fails-at-capture',
  'refund-fails-at-once',
  'refund-cannot-be-sent',
  'refund-fails-later',
];

/**
 * Plays debits and refunds, with two gateways on one database or with a single gateway that keeps recent debits in
 * memory. Chance decides who does what at which gateway, what the database refuses or answers late, when a gateway
 * dies, and which effects are lost or repeated.
 */
export class DebitHistory {
  /** What happened, for the person who has to understand a violation. */
  readonly said: string[] = [];
  readonly #random: Random;
  readonly #plant: DebitBugParts;
  readonly #met: DebitCoverage | undefined;
  readonly #names: readonly string[];
  readonly #disk = new DebitDisk();
  readonly #database: LateDatabase;
  readonly #gateways = new Map<string, Gateway>();
  /** The timers that were set. A timer may fire twice. */
  readonly #awaited: { debitId: string; input: Extract<Input, { is: 'due' }>; dueAt: number }[] = [];
  #now = 1_000;
  #made = 0;
  #drawn = 0;
  #broken: unknown;

  constructor(seed: number, met?: DebitCoverage, plant = noBug) {
    this.#random = makeSeededRandom(seed);
    this.#met = met;
    this.#plant = plant;
    this.#names = this.#int(3) === 0 ? ['one'] : ['one', 'two'];
    const outlives = !this.#isAlone;
    this.#database = new LateDatabase(this.#random, (error) => this.#break(error), { outlives });
    for (const name of this.#names) this.#begin(name);
  }

  get #isAlone(): boolean {
    return this.#names.length === 1;
  }

  /** @throws Error if an invariant is broken */
  async play(steps: number): Promise<void> {
    this.#order();
    for (let step = 0; step < steps; step++) {
      this.#something();
      await this.#settled();
    }
    this.#database.calm = true;
    await this.#drained();
    for (const ms of [holdMs, holdMs]) {
      this.#pass(ms);
      this.#sweep('one');
      await this.#drained();
    }
    for (const { id, state } of this.#disk.debits.values())
      if (state === 'preauthorized') throw new Error(`${id} never ends`);
    for (const { id, due_at } of this.#disk.refunds.values())
      if (due_at !== null) throw new Error(`refund ${id} never goes on`);
  }

  async #drained(): Promise<void> {
    await this.#settled();
    while (this.#database.waits) {
      this.#database.getOn();
      await this.#settled();
    }
  }

  async #settled(): Promise<void> {
    await new Promise(setImmediate);
    if (!this.#database.waits) this.#checkKept();
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** Checks that what a gateway keeps in memory agrees with the disk. */
  #checkKept(): void {
    for (const { recent } of this.#gateways.values())
      for (const id of this.#disk.debits.keys()) {
        const kept = recent?.get(id);
        if (kept && JSON.stringify(kept) !== JSON.stringify(this.#disk.stored(id)))
          this.#break(new Error(`${id} is kept otherwise than it is on disk`));
      }
  }

  #something(): void {
    const chance = this.#int(100);
    if (this.#database.waits && chance < 40) return this.#database.getOn();
    const at = this.#oneOf(this.#names);
    const id = this.#int(5) === 0 ? this.#oneOf([...this.#disk.debits.keys(), 'unknown']) : `d${this.#made}`;
    const sub = this.#int(100);
    const by = this.#int(12) === 0 ? stranger : caller;
    if (sub < 8) this.#order();
    else if (sub < 22) this.#pass(this.#oneOf([1_000, 2_000, 5_000, holdMs / 3]));
    else if (sub < 26) this.#die(at);
    else if (sub < 36) this.#sweep(at);
    else if (sub < 40) this.#again(at);
    else if (sub < 50) void this.#put(at, id, { of: 'debit', is: 'captureAsked', caller: by });
    else if (sub < 74) this.#refund(at, id, by);
    else if (sub < 86) this.#moveRefund(at);
    else if (sub < 92) this.#block(at, id);
    else if (sub < 94) void this.#put(at, id, { of: 'debit', is: 'closeAsked', reason: 'charged back' });
    else if (sub < 98) void this.#put(at, id, { of: 'debit', is: 'expiryAsked' });
    else if ((this.#disk.debits.get(id)?.state ?? 'preauthorized') !== 'preauthorized')
      void this.#put(at, id, { of: 'debit', is: 'due' });
  }

  #order(): void {
    const card = cardThat(this.#oneOf(cards));
    const flow = this.#int(2) === 0 ? 'charge' : 'preauthorize';
    const debit = { ...debitOf(`d${++this.#made}`, this.#now), flow, credit_card_id: card.id } as const;
    const is = flow === 'charge' ? 'chargeOrdered' : 'holdOrdered';
    void this.#put(this.#oneOf(this.#names), debit.id, { of: 'debit', is, debit, card });
  }

  #refund(at: string, id: string, by: Owner): void {
    const amount = this.#oneOf([4, 4, 6, 10.25, 11, 0.001]);
    const order = { caller: by, amount, currency: 'EUR', reason: 'other', reasonDetails: null };
    void this.#put(at, id, { of: 'refund', is: 'ordered', ...order });
  }

  #moveRefund(at: string): void {
    const refunds = [...this.#disk.refunds.values()];
    const { debit_id, id } = this.#oneOf([
      ...refunds.slice(-3),
      { debit_id: `d${this.#made}`, id: 'unknown' },
    ]);
    if (this.#int(2) === 0) void this.#put(at, debit_id, { of: 'refund', is: 'submitAsked', id });
    else void this.#put(at, debit_id, { of: 'refund', is: 'failAsked', id, why: 'closed' });
  }

  #block(at: string, id: string): void {
    const amount = this.#oneOf([0, 3_00, 8_00, 20_00]);
    void this.#put(at, id, { of: 'debit', is: 'blockAsked', amount, reason: 'disputed' });
  }

  #pass(ms: number): void {
    this.#now += ms;
    this.#say(`${ms} ms pass`);
  }

  /**
   * Looks for debits and refunds on disk that are due, and gives the gateway the input `due` for each of them. A debit
   * is due when its authorization has expired. The other gateway may get the same input at this time.
   */
  #sweep(at: string): void {
    for (const { id, state, expires_at } of this.#disk.debits.values())
      if (state === 'preauthorized' && Number(expires_at) <= this.#now)
        void this.#put(at, id, { of: 'debit', is: 'due' });
    for (const { id, debit_id, due_at } of this.#disk.refunds.values())
      if (due_at !== null && due_at <= this.#now)
        void this.#put(at, debit_id, { of: 'refund', is: 'due', id, dueAt: due_at });
  }

  /** Fires a timer late, or a second time. */
  #again(at: string): void {
    const past = this.#awaited.filter(({ dueAt }) => dueAt <= this.#now);
    if (past.length === 0) return;
    const { debitId, input } = this.#oneOf(past);
    void this.#put(at, debitId, input);
  }

  #die(name: string): void {
    const gateway = this.#gateways.get(name);
    if (gateway) gateway.client.dead = true;
    this.#say(`${name} dies`);
    this.#begin(name);
  }

  #begin(name: string): void {
    const client: DatabaseClient = { name, dead: false };
    const { versions, noRoom } = this.#plant;
    const draw = () => `r${++this.#drawn}`;
    const recent = this.#isAlone ? makeRecentDebits() : undefined;
    const engine = makeDebitEngine({
      runtime: {
        clock: { now: () => this.#now, elapsedSince: (since) => this.#now - since },
        timeouts,
        inFlight: noInFlightTracking,
      },
      dice: { identifier: draw, pspReference: draw, authCode: draw },
      recent,
      read: (id) => this.#database.read(client, () => this.#disk.stored(id)),
      cardOf: ({ credit_card_id }) => this.#database.read(client, () => cardThat(credit_card_id)),
      commit: async (records, report) => {
        const holds = versions && !this.#isAlone;
        const commit = () => this.#disk.commit(records, report, this.#now, holds);
        const result = await this.#database.commit(client, commit);
        const isFull = result.is === 'refused' && result.because === 'storage';
        return isFull && noRoom === 'applied' ? { is: 'applied' } : result;
      },
      effects: () => ({ run: (effects) => this.#run(client, effects) }),
      decides: (...asked) => this.#decide(...asked),
    });
    this.#gateways.set(name, { client, recent, engine });
  }

  #decide(...asked: Parameters<typeof decide>): Step {
    const [stored, input] = asked;
    if (input.of === 'debit') this.#met?.debits.hit(stateOf(stored).is, input.is);
    else {
      const { is } = refundStateOf(stored, input.is === 'ordered' ? undefined : input.id);
      this.#met?.refunds.hit(is, input.is);
    }
    const before = this.#drawn;
    const step = this.#plant.decides(...asked);
    const drawn = this.#drawn;
    if (this.#int(50) > 0) return step;
    this.#drawn = before;
    if (JSON.stringify(this.#plant.decides(...asked)) !== JSON.stringify(step))
      this.#break(new Error('another decision on the same facts'));
    this.#drawn = drawn;
    return step;
  }

  async #put(at: string, id: string, input: Input): Promise<void> {
    const gateway = this.#gateways.get(at) as Gateway;
    this.#say(`${at} ${id}: ${JSON.stringify(input)}`);
    try {
      this.#checkAnswer(input, await handleDebitInput(gateway.engine, id, input));
    } catch (error) {
      if (!(error instanceof DiskFullError)) this.#break(error);
    }
  }

  /**
   * Checks that an ended debit or refund stays ended: if an answer says that one of them has ended, the disk must
   * say the same.
   */
  #checkAnswer(input: Input, { stored, refund, refused }: Step): void {
    if ('caller' in input && input.caller === stranger && !refused)
      this.#break(new Error(`a stranger moves ${stored?.debit.id}`));
    if (refused) return;
    const of = [stored?.debit, refund].filter((row) => row !== undefined);
    for (const row of of) {
      const [answered, onDisk] =
        'status' in row
          ? [row.status, this.#disk.refunds.get(row.id)?.status]
          : [row.state, this.#disk.debits.get(row.id)?.state];
      const isFinal = ['paid', 'failed', 'voided'].includes(answered);
      if (onDisk === undefined || (isFinal && onDisk !== answered))
        this.#break(new Error(`${row.id} is answered as ${answered} and not on disk`));
    }
  }

  #run(client: DatabaseClient, effects: readonly Effect[]): void {
    for (const effect of effects) {
      this.#say(`${client.name} ${JSON.stringify(effect)}`);
      if (effect.do === 'awaitExpiry') this.#await(effect.debit.id, this.#disk.debits.has(effect.debit.id));
      if (effect.do === 'awaitRefund') {
        const { id, debit_id: debitId, due_at } = effect.refund;
        const dueAt = Number(due_at);
        this.#awaited.push({ debitId, input: { of: 'refund', is: 'due', id, dueAt }, dueAt });
        this.#await(id, this.#disk.refunds.has(id));
      }
      if (effect.do === 'forgetExpiry')
        this.#forget(effect.debitId, this.#disk.debits.get(effect.debitId)?.state === 'preauthorized');
      if (effect.do === 'forgetRefund')
        this.#forget(effect.refundId, this.#disk.refunds.get(effect.refundId)?.due_at != null);
    }
  }

  #await(id: string, onDisk: boolean): void {
    if (!onDisk) this.#break(new Error(`${id} is awaited and not on disk`));
  }

  #forget(id: string, goesOn: boolean): void {
    if (goesOn) this.#break(new Error(`${id} goes on by itself and is awaited no more`));
  }

  #break(error: unknown): void {
    this.#broken ??= error;
  }

  #say(what: string): void {
    this.said.push(`${this.#now} ${what}`);
  }

  #int(below: number): number {
    return this.#random.int(below);
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#int(values.length)] as Value;
  }
}

/** Returns a saved card that behaves as the test card with that identifier does. */
function cardThat(id: string): SavedCardRow {
  return {
    id,
    account_id: 'shop',
    environment: 'sandbox',
    contact_id: 'robin',
    test_card: id,
    brand: 'visa',
    masked_number: '**** 1111',
    expiry: '1299',
    fingerprint: 'print',
    created_at: 0,
  };
}

function debitOf(id: string, now: number): DebitRow {
  return {
    id,
    account_id: 'shop',
    environment: 'sandbox',
    contact_id: 'robin',
    credit_card_id: 'visa',
    to_bank_account_id: 'bank',
    flow: 'charge',
    amount: 10_00,
    surcharge: 25,
    currency: 'EUR',
    statement: 'ORDER',
    note: null,
    state: 'preauthorized',
    decline_code: null,
    why: '',
    created_at: now,
    expires_at: null,
    captured_at: null,
    ended_at: null,
    version: 0,
  };
}
