import { defaultAmountEndingRefusals } from '../../../gateway/acquirer/amount-endings.ts';
import { Ledger } from '../../../gateway/acquirer/ledger.ts';
import type { PresetOutcome } from '../../../gateway/acquirer/schemas.ts';
import { TerminalOwnership } from '../../../gateway/cluster/ownership.ts';
import { makeClusterPaymentEngine } from '../../../gateway/cluster/payments/run-cluster-payments.ts';
import { ApiError } from '../../../gateway/http/errors.ts';
import { amountToGiveBack } from '../../../gateway/payments/amount-to-give-back.ts';
import type { Effect } from '../../../gateway/payments/core/effects.ts';
import { outcomeJson } from '../../../gateway/payments/core/outcome.ts';
import type { Input, Step } from '../../../gateway/payments/core/step.ts';
import { OpenPayments } from '../../../gateway/payments/moving/open-payments.ts';
import { findOriginalPayment } from '../../../gateway/payments/moving/originals.ts';
import { makePaymentEngineFactory } from '../../../gateway/payments/moving/payment-engine.ts';
import { currentPaymentSubject } from '../../../gateway/payments/moving/payment-engine-adapter.ts';
import { makePoiHandlers } from '../../../gateway/payments/moving/terminal-messages.ts';
import { PaymentWaiters } from '../../../gateway/payments/moving/waiters.ts';
import type { Owner } from '../../../gateway/store/ownership.ts';
import type { GatewayStore } from '../../../gateway/store/store.ts';
import type { Clock } from '../../../shared/clock.ts';
import { isStorageFault } from '../../../shared/database/storage-fault.ts';
import { noInFlightTracking } from '../../../shared/in-flight.ts';
import { KeyedTaskQueue } from '../../../shared/lanes.ts';
import { IdentifierGenerator, type Random } from '../../../shared/random.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { defaultTimeouts } from '../../../shared/timeouts.ts';
import { LinkProtocolError, UnreadableMessageError } from '../../../shared/transport/link.ts';
import { toReversalInput } from '../giving-back.ts';
import { terminal } from '../inputs.ts';
import { checkEffect } from '../invariants.ts';
import type { Dice } from './dice.ts';
import type { HintCarrier } from './hints.ts';
import { Links } from './links.ts';
import type { TwoOwnersBugParts } from './plant.ts';
import { BatchRefusedError, type SharedDatabase } from './shared-database.ts';
import type { DiskClient } from './shared-disk.ts';
import type { Timeline } from './timeline.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;
/** The owner of all payments. */
const owner: Owner = terminal;

/** What the gateways of a history share, and how they report what happens. */
export interface World {
  readonly dice: Dice;
  /**
   * The random numbers that the code of the gateways draws. They are separate from the dice. So the dice give the
   * same results, however many random numbers the code draws.
   */
  readonly chance: Random;
  readonly timeline: Timeline;
  readonly database: SharedDatabase;
  readonly hints: HintCarrier;
  readonly outcomes: Map<string, PresetOutcome>;
  /** Events that have happened and must not happen again. */
  readonly once: Set<string>;
  /** The names of gateways whose processes are dead. */
  readonly gone: Set<string>;
  readonly plant: TwoOwnersBugParts;
  say(said: string): void;
  broken(error: unknown): void;
}

/** The interval at which a gateway looks for changes that were not announced to it. */
export const changePollMs = 60_000;

/**
 * The part of a gateway's process that moves payments. All of it is the product's own code. Only the database, the
 * wire, the clock and the dice are replaced.
 */
export class HistoryGateway implements DiskClient {
  readonly name: string;
  readonly ids = new Set<string>();
  readonly links = new Links();
  readonly open = new OpenPayments();
  readonly waiting: PaymentWaiters;
  readonly shared: ReturnType<typeof makeClusterPaymentEngine>;
  dead = false;
  stuck = false;
  /** Whether the gateway has read that the terminal exists. */
  knows = true;
  /** The requests to this gateway that have no answer yet. */
  readonly unanswered = new Set<string>();
  readonly #world: World;
  readonly #clock: Clock;
  readonly #store: GatewayStore;
  #id: string;
  #givenUp = () => {};

  constructor(name: string, id: string, world: World) {
    this.name = name;
    this.#world = world;
    this.#id = id;
    this.ids.add(id);
    this.#clock = world.timeline.clock();
    this.#store = world.database.store(this);
    this.waiting = new PaymentWaiters(this.#clock);
    const on = this.#parts();
    const engineWith = makePaymentEngineFactory(on);
    this.shared = makeClusterPaymentEngine({ ...on, engineWith });
    const { engine } = this.shared;
    const run = engine.effects.run.bind(engine.effects);
    engine.effects.run = (effects) => this.#run(effects, run);
    const failed = (_: string, error: unknown) => this.#failed(error);
    this.links.handle(makePoiHandlers({ ...on, turns: engine, failed }));
    world.plant.gateway?.(this);
  }

  /** Accepts a payment and holds the request until the outcome is known. */
  accept(input: () => Accepted): Promise<void> {
    return this.#held('a payment request', () => this.#put(input));
  }

  /**
   * Gives back an amount of a payment, as Acceptance does. The decision depends on the amount that is left of the
   * payment. If another gateway has changed that amount meanwhile, this gateway reads the payment again.
   */
  giveBack(id: string, amount: number | undefined, input: (amount: number) => Accepted): Promise<void> {
    return this.#held('a reversal request', async () => {
      for (let tries = 3; ; tries--) {
        const original = await this.#store.read((db) => findOriginalPayment(db, owner, { id }));
        if (!original) throw new ApiError('originalNotFound');
        const reversal = () =>
          toReversalInput(input(amountToGiveBack(original, { amount, currency: undefined })), original);
        try {
          return await this.#put(reversal);
        } catch (error) {
          if (error instanceof ApiError || tries === 1) throw error;
        }
      }
    });
  }

  async #put(input: () => Accepted): Promise<{ id: string; step: Step }> {
    let id = '';
    const made = () => {
      if (!this.knows) throw new ApiError('terminalNotFound');
      const accepted = input();
      id = accepted.row.id;
      return accepted;
    };
    const step = await this.shared.engine.put(terminal.id, currentPaymentSubject, made);
    return { id, step };
  }

  async #held(asked: string, take: () => Promise<{ id: string; step: Step }>): Promise<void> {
    const taken = await this.answered(asked, take());
    if (!taken) return;
    const { id, step } = taken;
    if (!this.#world.database.disk.payments.has(id)) throw new Error(`${id} is acknowledged and not on disk`);
    if (step.concluded?.as.id === id) return this.#isStored(id, step.concluded.outcome);
    const call = { arrivedAt: 0, signal: new AbortController().signal, park: () => () => {} };
    const woken = await this.answered(`the outcome of ${id}`, this.waiting.wait(id, call, {}));
    if (woken?.by === 'result') this.#isStored(id, woken.outcome);
  }

  /** Aborts a payment, as PaymentService does. The gateway that runs the payment executes the abort. */
  async abort(id: string): Promise<void> {
    const { engine, elsewhere } = this.shared;
    const former = this.open.byId(id);
    if (former.is !== 'none') {
      const step = await this.answered(
        `an abort of ${id}`,
        engine.put(terminal.id, id, { is: 'abortAsked' }),
      );
      if (step?.state.is !== 'none') return;
    }
    await this.answered(`an abort of ${id}`, elsewhere.abort({ terminal_id: terminal.id, id }));
  }

  async deleteTerminal(): Promise<void> {
    const input = () => (this.knows ? ({ is: 'terminalDeleted', terminal } as const) : undefined);
    await this.answered('a deletion', this.shared.engine.put(terminal.id, currentPaymentSubject, input));
  }

  /** Lets the gateway hear that the terminal was created or deleted at another gateway. */
  catchUp(): void {
    const there = this.#world.database.disk.terminal;
    if (this.knows && !there) this.links.drop();
    this.knows = there;
  }

  /** The other gateways declare this gateway dead although its process is running. */
  giveUp(id: string): void {
    this.#world.database.disk.ended.add(this.#id);
    this.#id = id;
    this.ids.add(id);
    this.#givenUp();
  }

  /** The process dies. Only statements that the database already has are still executed. */
  die(): void {
    this.dead = true;
    this.#world.timeline.stop(this.#clock);
    this.links.lose();
    this.#world.gone.add(this.#id);
  }

  /** Resolves to the answer of a request, or to undefined if it was refused in one of the permitted ways. */
  async answered<Result>(asked: string, answer: Promise<Result>): Promise<Result | undefined> {
    this.unanswered.add(asked);
    try {
      return await answer;
    } catch (error) {
      this.#failed(error);
      return undefined;
    } finally {
      this.unanswered.delete(asked);
    }
  }

  #isStored(id: string, outcome: object): void {
    const row = this.#world.database.disk.results.get(id);
    if (row?.outcome !== outcomeJson(outcome as never))
      throw new Error(`${id} is told otherwise than it is stored`);
  }

  #failed(error: unknown): void {
    const { broken } = this.#world;
    const isKnown = [ApiError, LinkProtocolError, UnreadableMessageError, BatchRefusedError].some(
      (known) => error instanceof known,
    );
    if (isStorageFault(error)) this.shared.engine.effects.failed(terminal.id, error);
    else if (!isKnown) broken(error);
  }

  /** Checks each effect before it runs. The process may die between two effects. */
  #run(given: readonly Effect[], run: (effects: readonly Effect[]) => void): void {
    const { plant, dice, database } = this.#world;
    for (const effect of plant.effects?.(given) ?? given) {
      if (this.dead) return;
      this.#check(effect);
      run([effect]);
      if (!database.calm && dice.once(200)) this.die();
    }
    database.disk.forget(this);
  }

  #check(effect: Effect): void {
    const { database, broken } = this.#world;
    const { disk } = database;
    try {
      checkEffect(effect, disk);
      if (effect.do === 'deliver' && !disk.owned(this))
        throw new Error(`${effect.payment.id} is sent by a gateway that did not have its terminal`);
      if (effect.do === 'deliver' && !effect.again)
        this.#onlyOnce(`${effect.payment.id} is sent as if it were new`);
      if (effect.do === 'answer') this.#onlyOnce(`${effect.paymentId} is concluded`);
    } catch (error) {
      broken(error);
    }
  }

  /** Notes an event that no gateway may cause a second time. */
  #onlyOnce(happened: string): void {
    const { once } = this.#world;
    if (once.has(happened)) throw new Error(`${happened} twice`);
    once.add(happened);
  }

  #parts() {
    const { chance, hints, say, broken } = this.#world;
    const clock = this.#clock;
    const add = (kind: string, data: { message?: string }, about?: { payment?: string }) => {
      say(`${this.name} ${kind} ${about?.payment ?? ''} ${JSON.stringify(data)}`);
      if (/a step of a payment failed: (?!LinkError|Refused|Error: another gateway)/.test(data.message ?? ''))
        broken(new Error(data.message));
    };
    const runtime = {
      clock,
      realClock: clock,
      random: chance,
      identifiers: new IdentifierGenerator(clock, chance),
      inFlight: noInFlightTracking,
      journal: { add },
      timeouts: defaultTimeouts,
    } as unknown as Runtime;
    const store = this.#store;
    const terminals = {
      byId: () => (this.knows ? terminal : undefined),
      forget: () => {
        this.knows = false;
        this.links.drop();
      },
    };
    return {
      runtime,
      store,
      terminals,
      acquirer: this.#acquirer(runtime),
      poi: this.links,
      open: this.open,
      lanes: new KeyedTaskQueue(noInFlightTracking),
      keys: {},
      waiting: this.waiting,
      cluster: this.#cluster(store, hints),
    } as unknown as Parameters<typeof makeClusterPaymentEngine>[0] &
      Parameters<typeof makePaymentEngineFactory>[0];
  }

  #cluster(store: ConstructorParameters<typeof TerminalOwnership>[0], hints: HintCarrier) {
    const id = () => this.#id;
    const gateways = {
      get id() {
        return id();
      },
      giveUpDead: async () => {
        const { gone, database } = this.#world;
        for (const dead of gone) database.disk.ended.add(dead);
        return [];
      },
      onGivenUp: (run: () => void) => {
        this.#givenUp = run;
      },
    };
    const ownership = new TerminalOwnership(store, gateways as never);
    return {
      gateways,
      ownership,
      hints: hints.of(this),
      paces: { beatMs: changePollMs, deadAfterMs: changePollMs },
    };
  }

  /** Makes the host. Both gateways know at once which outcomes were set for the host. */
  #acquirer(runtime: Runtime) {
    const { outcomes } = this.#world;
    const ledger = new Ledger(runtime);
    return {
      ledger,
      facts: (terminalId: string, paymentId = '') => ({
        now: runtime.clock.now(),
        dice: ledger.dice,
        outcomes: { payment: outcomes.get(paymentId), terminal: outcomes.get(terminalId) },
        magicAmounts: { on: true, setBy: 'account' },
        amountEndings: defaultAmountEndingRefusals,
      }),
      outcomes: {
        install: (changes: readonly ({ set: PresetOutcome } | { clear: string })[]) => {
          for (const change of changes)
            if ('set' in change) outcomes.set(change.set.subject, change.set);
            else outcomes.delete(change.clear);
        },
      },
    };
  }
}
