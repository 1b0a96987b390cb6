import { decide } from '../../../gateway/credits/core/lifecycle.ts';
import type { Effect, Input, State, Step } from '../../../gateway/credits/core/step.ts';
import { handleCreditInput, makeCreditEngine } from '../../../gateway/credits/credit-engine.ts';
import type { CreditRow, VerifiedCreditVisitorRow } from '../../../gateway/store/rows/credits.ts';
import { noInFlightTracking } from '../../../shared/in-flight.ts';
import { makeSeededRandom, type Random } from '../../../shared/random.ts';
import { defaultTimeouts } from '../../../shared/timeouts.ts';
import type { Coverage } from '../coverage.ts';
import { type DatabaseClient, DiskFullError, LateDatabase } from '../late-database.ts';
import { CreditDisk, type CreditReport } from './disk.ts';

/** The parts of a history of credits that a planted bug may replace. */
export interface CreditBugParts {
  decides: typeof decide;
  /** Whether a batch is refused if the stored credit has changed since the decision that made the batch. */
  versions: boolean;
  /** What a commit answers if the disk is full. */
  noRoom: 'refused' | 'applied';
}

export const noBug: CreditBugParts = { decides: decide, versions: true, noRoom: 'refused' };

interface Gateway {
  readonly client: DatabaseClient;
  readonly engine: ReturnType<typeof makeCreditEngine<{ run(effects: readonly Effect[]): void }>>;
}

const names = ['one', 'two'] as const;
const linkMs = 10_000_000;

/**
 * Plays credits, and the customers who open the payment links, with two gateways on one database. Chance decides who
 * does what at which gateway, what the database refuses or answers late, when a gateway dies, and which effects are
 * lost or repeated.
 */
export class CreditHistory {
  /** What happened, for the person who has to understand a violation. */
  readonly said: string[] = [];
  readonly #random: Random;
  readonly #plant: CreditBugParts;
  readonly #met: Coverage;
  readonly #disk = new CreditDisk();
  readonly #database: LateDatabase;
  readonly #gateways = new Map<string, Gateway>();
  readonly #visits: VerifiedCreditVisitorRow[] = [];
  #now = 1_000;
  #made = 0;
  #broken: unknown;

  constructor(seed: number, met: Coverage, plant = noBug) {
    this.#random = makeSeededRandom(seed);
    this.#met = met;
    this.#plant = plant;
    this.#database = new LateDatabase(this.#random, (error) => this.#break(error), { outlives: true });
    for (const name of names) this.#begin(name);
  }

  /** @throws Error if an invariant is broken */
  async play(steps: number): Promise<void> {
    this.#make();
    for (let step = 0; step < steps; step++) {
      this.#something();
      await this.#settled();
    }
    this.#database.calm = true;
    while (this.#database.waits) {
      this.#database.getOn();
      await this.#settled();
    }
    this.#now += linkMs;
    this.#sweep('one');
    await this.#settled();
    for (const { id, state } of this.#disk.credits.values())
      if (state === 'initiated') throw new Error(`${id} never ends`);
  }

  async #settled(): Promise<void> {
    await new Promise(setImmediate);
    if (this.#broken !== undefined) throw this.#broken;
  }

  #something(): void {
    const chance = this.#int(100);
    if (this.#database.waits && chance < 40) return this.#database.getOn();
    const at = this.#oneOf(names);
    const id = this.#int(5) === 0 ? this.#oneOf([...this.#disk.credits.keys(), 'unknown']) : `c${this.#made}`;
    const sub = this.#int(100);
    if (sub < 5) this.#make();
    else if (sub < 20) this.#pass(this.#oneOf([1_000, defaultTimeouts.securityLockMs, linkMs / 3]));
    else if (sub < 24) this.#die(at);
    else if (sub < 32) this.#sweep(at);
    else if (sub < 62) void this.#answer(at, id, this.#int(3) === 0);
    else if (sub < 84) this.#visit(at, id);
    else if (sub < 88) void this.#put(at, id, { is: 'refusalSet', reason: 'closed' });
    else if (sub < 90) void this.#put(at, id, { is: 'expiryAsked' });
    else if (sub < 96) void this.#put(at, id, { is: 'accepted', to: { ...bank, refuses: sub === 95 } });
    else if (this.#disk.credits.get(id)?.state !== 'initiated') void this.#put(at, id, { is: 'due' });
  }

  #make(): void {
    const credit = creditOf(`c${++this.#made}`, this.#now);
    void this.#put(this.#oneOf(names), credit.id, { is: 'made', credit });
  }

  async #answer(at: string, id: string, right: boolean): Promise<void> {
    const tried = await this.#put(at, id, { is: 'answerTried' });
    if (!tried || tried.refused || !right) return;
    const visit = { ...nothingNamed, id: `v${this.#visits.length}`, credit_id: id, answered_at: this.#now };
    if (await this.#put(at, id, { is: 'answeredRight', visit })) this.#visits.push(visit);
  }

  /**
   * A customer has given the right answer. Now the customer names a bank account, or accepts the payout to the account
   * that was named before.
   */
  #visit(at: string, creditId: string): void {
    const visit = [...this.#disk.visits.values()].find(({ credit_id }) => credit_id === creditId);
    const former = visit ?? this.#visits.find(({ credit_id }) => credit_id === creditId);
    if (!former) return;
    const { id: visitId, credit_id: id } = former;
    const named = this.#int(3) === 0 ? undefined : { ...bank, refuses: this.#int(4) === 0 };
    if (visit?.bank_masked == null || this.#int(2) === 0)
      void this.#put(at, id, { is: 'bankNamed', visitId, bank: named });
    else void this.#put(at, id, { is: 'accepted', to: { ...bank, refuses: visit.bank_refuses === 1 } });
  }

  #pass(ms: number): void {
    this.#now += ms;
    this.#say(`${ms} ms pass`);
  }

  /**
   * Looks for credits on disk that have expired, and gives the gateway the input `due` for each of them. The other
   * gateway may get the same input at this time.
   */
  #sweep(at: string): void {
    for (const { id, state, expires_at } of this.#disk.credits.values())
      if (state === 'initiated' && expires_at <= this.#now) void this.#put(at, id, { is: 'due' });
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
    const engine = makeCreditEngine({
      runtime: {
        clock: { now: () => this.#now, elapsedSince: (since) => this.#now - since },
        timeouts: defaultTimeouts,
        inFlight: noInFlightTracking,
      },
      read: (id) => this.#database.read(client, () => this.#disk.credits.get(id)),
      commit: async (records, report) => {
        const commit = () =>
          this.#disk.commit(records, versions ? report : this.#ofAnyVersion(report), this.#now);
        const result = await this.#database.commit(client, commit);
        const isFull = result.is === 'refused' && result.because === 'storage';
        return isFull && noRoom === 'applied' ? { is: 'applied' } : result;
      },
      effects: () => ({ run: (effects) => this.#run(client, effects) }),
      decides: (...asked) => this.#decide(...asked),
    });
    this.#gateways.set(name, { client, engine });
  }

  #ofAnyVersion(report: CreditReport | undefined): CreditReport | undefined {
    if (!report?.changedRow) return report;
    const { changedRow } = report;
    const version = this.#disk.credits.get(changedRow.id)?.version ?? 0;
    return { ...report, changedRow: { ...changedRow, version } };
  }

  #decide(...asked: Parameters<typeof decide>): Step {
    this.#met.hit(asked[0].is, asked[1].is);
    const step = this.#plant.decides(...asked);
    if (this.#int(50) === 0 && JSON.stringify(this.#plant.decides(...asked)) !== JSON.stringify(step))
      this.#break(new Error('another decision on the same facts'));
    return step;
  }

  /** Resolves to undefined if the request was refused because the disk is full. */
  async #put(at: string, id: string, input: Input): Promise<Step | undefined> {
    const gateway = this.#gateways.get(at) as Gateway;
    this.#say(`${at} ${id}: ${JSON.stringify(input)}`);
    try {
      const step = await handleCreditInput(gateway.engine, id, input);
      this.#checkAnswer(step.state, step);
      return step;
    } catch (error) {
      if (!(error instanceof DiskFullError)) this.#break(error);
      return undefined;
    }
  }

  /** Checks that an ended credit stays ended: if an answer says that a credit has ended, the disk must say the same. */
  #checkAnswer(state: State, { refused }: Step): void {
    if (state.is === 'none' || refused || state.is === 'initiated') return;
    const row = this.#disk.credits.get(state.credit.id);
    if (row?.state !== state.is)
      this.#break(new Error(`${row?.id} is answered as ${state.is} and not on disk`));
  }

  #run(client: DatabaseClient, effects: readonly Effect[]): void {
    for (const effect of effects) {
      this.#say(`${client.name} ${JSON.stringify(effect)}`);
      if (effect.do === 'awaitExpiry' && !this.#disk.credits.has(effect.credit.id))
        this.#break(new Error(`${effect.credit.id} is awaited and not on disk`));
      if (effect.do === 'forgetExpiry' && this.#disk.credits.get(effect.creditId)?.state === 'initiated')
        this.#break(new Error(`${effect.creditId} is open and awaited no more`));
    }
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

const bank = { kind: 'iban', masked: '**** 3000' } as const;
const nothingNamed = { bank_kind: null, bank_masked: null, bank_refuses: 0 };

function creditOf(id: string, now: number): CreditRow {
  return {
    id,
    account_id: 'shop',
    environment: 'sandbox',
    contact_id: 'robin',
    from_bank_account_id: 'bank',
    amount: 25_50,
    currency: 'EUR',
    statement: 'REFUND',
    note: null,
    state: 'initiated',
    why: 'the link waits for the customer',
    token_hash: id,
    wrong_answers: 0,
    locked_until: null,
    refusal: null,
    bank_kind: null,
    bank_masked: null,
    created_at: now,
    expires_at: now + linkMs,
    ended_at: null,
    version: 0,
  };
}
