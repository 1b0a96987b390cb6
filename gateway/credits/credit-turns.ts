import type { Note } from '../../shared/journal.ts';
import { Lanes } from '../../shared/lanes.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Duties } from '../engine/duties.ts';
import { Engine, type Moving, type Turns } from '../engine/engine.ts';
import { anyGateway, type Partition } from '../engine/partition.ts';
import type { EventStore } from '../events/service.ts';
import { unlessFull } from '../http/unless-full.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { Change } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { decide } from './core/lifecycle.ts';
import { type Effect, type Input, type State, type Step, stateOf } from './core/step.ts';
import { CreditEffects } from './credit-effects.ts';
import { creditEvent } from './credit-event.ts';
import { factsOf } from './facts.ts';
import { creditById } from './rows.ts';

interface CreditTurnsParts {
  runtime: Runtime;
  store: Store;
  events: EventStore;
  duties: Duties;
}

/** Which credit an input is for: the one on disk, or one that nothing else knows yet. */
const onDisk = 'onDisk';
const unmade = 'unmade';

/** How often an input is decided at most: other gateways may be as quick. */
const mostDecisions = 30;

/** Credits on the engine: each takes its inputs one after the other, decided on what is on disk. */
export class CreditTurns {
  readonly #engine: ReturnType<typeof creditEngine>;

  private constructor(engine: ReturnType<typeof creditEngine>) {
    this.#engine = engine;
  }

  /** Takes up the links of a former process. */
  static async open(parts: CreditTurnsParts): Promise<CreditTurns> {
    const engine = creditEngine(parts);
    await engine.effects.begin();
    return new CreditTurns(engine);
  }

  /** Takes an input in its turn. @throws what refused its records, or ApiError unavailable where too many wait */
  put(creditId: string, input: Input): Promise<Step> {
    const subject = input.is === 'made' ? unmade : onDisk;
    return unlessFull(this.#engine.put(creditId.toLowerCase(), subject, input));
  }

  /** Does effects that belong to no step. */
  perform(effects: readonly Effect[]): void {
    this.#engine.perform(effects);
  }

  /** From now on no link runs out by itself here. */
  stop(): void {
    this.#engine.effects.stop();
  }
}

function creditEngine({ runtime, store, events, duties }: CreditTurnsParts) {
  const moving: Moving<State, Input, never, Step> = {
    state: (creditId, subject) =>
      subject === unmade
        ? stateOf(undefined)
        : store.read(async (tx) => stateOf(await creditById(tx, creditId))),
    lookUp: () => undefined,
    isMissed: () => false,
    decide: (_, __, state, input) => decide(state, input, factsOf(state, runtime)),
    install() {}, // nothing of credits is kept in memory
  };
  return new Engine({
    store: {
      commit: (records, step: Step) =>
        // What a customer names at the link moves no credit: it takes no version and no number of an event.
        records.every(isOfVisit) ? store.commit(records) : events.commit(records, reportOf(step)),
    },
    lanes: new Lanes(runtime.inFlight),
    mostDecisions,
    moving,
    partition: () => partition,
    effects: (turns: Turns<Input, Step>) => {
      const due = (creditId: string) => unlessFull(turns.put(creditId, onDisk, { is: 'due' }));
      return new CreditEffects({ runtime, store, duties, due });
    },
  });
}

/** What is made was decided on nothing that could have been learnt. */
const partition = {
  ...(anyGateway as Partition<Input, Step>),
  learn: (key, refused, input) => input.is !== 'made' && anyGateway.learn(key, refused, input),
} satisfies Partition<Input, Step>;

function isOfVisit(change: Change): boolean {
  return 'update' in change && change.update === 'credit_visits';
}

/** Which row a step is about, and what is told of it. */
function reportOf({ state, told }: Step): Parameters<EventStore['commit']>[1] {
  if (state.is === 'none') return {};
  const { credit } = state;
  const of = { table: 'credits', id: credit.id, version: credit.version } as const;
  return told ? { of, notes: [noteOf(credit)], event: creditEvent(credit) } : { of };
}

function noteOf({ id, state, amount, currency, why }: CreditRow): Note {
  return { kind: 'credit.changed', data: { state, amount, currency, why }, about: { payment: id } };
}
