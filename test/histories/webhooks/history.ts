import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../../gateway/store/rows/webhooks.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import {
  commitDeliveryInput,
  type DeliveryInputResult,
} from '../../../gateway/webhooks/commit-delivery-input.ts';
import { makeDeliveryRow } from '../../../gateway/webhooks/delivery-row.fixture.ts';
import { decide, type Effect, type Input, makeAttemptInput } from '../../../gateway/webhooks/lifecycle.ts';
import type { PostResult } from '../../../gateway/webhooks/post.ts';
import { makeFailDeliveriesChange } from '../../../gateway/webhooks/rows.ts';
import { makeSeededRandom, type Random } from '../../../shared/random.ts';
import { defaultTimeouts } from '../../../shared/timeouts.ts';
import type { Coverage } from '../coverage.ts';
import { type DatabaseClient, DiskFullError, LateDatabase } from '../late-database.ts';
import { DeliveryDisk } from './disk.ts';

/** The parts of a history of deliveries that a planted bug may replace. */
export interface DeliveryBugParts {
  decides: typeof decide;
  /** Returns those changes of a batch that are really stored. */
  stores: (batch: readonly RowChange[]) => readonly RowChange[];
  /** What a commit answers if the disk is full. */
  noRoom: 'refused' | 'applied';
}

export const noBug: DeliveryBugParts = { decides: decide, stores: (batch) => batch, noRoom: 'refused' };

const names = ['one', 'two'] as const;
const hooks = ['a', 'b'] as const;
/** A number of attempts after which the schedule has certainly given up. */
const patience = 12;

/**
 * Plays deliveries to two webhooks by two gateways on one database. Chance decides what the receivers answer, and which
 * gateway attempts a delivery. The schedule, a user or a fault that repeats an event causes an attempt. The attempt may
 * use data that were read long before. If a gateway has lost the lease without noticing, both gateways may attempt the
 * same delivery. Chance also decides which webhook is disabled, what the database refuses or answers late, and when a
 * gateway dies.
 */
export class DeliveryHistory {
  /** What happened, for the person who has to understand a violation. */
  readonly said: string[] = [];
  readonly #random: Random;
  readonly #plant: DeliveryBugParts;
  readonly #met: Coverage;
  readonly #disk = new DeliveryDisk();
  readonly #database: LateDatabase;
  readonly #gateways = new Map<string, DatabaseClient>();
  /** Deliveries as they were at earlier times. */
  readonly #seen: WebhookDeliveryRow[] = [];
  #now = 1_000;
  #made = 0;
  #attempts = 0;
  #broken: unknown;

  constructor(seed: number, met: Coverage, plant = noBug) {
    this.#random = makeSeededRandom(seed);
    this.#met = met;
    this.#plant = plant;
    this.#database = new LateDatabase(this.#random, (error) => this.#break(error), { outlives: true });
    for (const name of names) this.#gateways.set(name, { name, dead: false });
  }

  /** @throws Error if an invariant is broken */
  async play(steps: number): Promise<void> {
    await this.#make();
    for (let step = 0; step < steps; step++) {
      this.#something();
      await this.#settled();
    }
    this.#database.calm = true;
    while (this.#database.waits) {
      this.#database.getOn();
      await this.#settled();
    }
    for (let tries = 0; tries < patience; tries++) {
      this.#lookAtAll();
      await this.#settled();
    }
    for (const { id, state } of this.#disk.deliveries.values())
      if (state === 'pending') throw new Error(`${id} never ends`);
  }

  async #settled(): Promise<void> {
    await new Promise(setImmediate);
    if (this.#broken !== undefined) throw this.#broken;
  }

  #something(): void {
    const chance = this.#int(100);
    if (this.#database.waits && chance < 40) return this.#database.getOn();
    const gateway = this.#gateways.get(this.#oneOf(names)) as DatabaseClient;
    const row = this.#oneOf([...this.#disk.deliveries.values()]);
    if (this.#int(3) === 0) this.#seen.push(row);
    const sub = this.#int(100);
    if (sub < 6) void this.#make();
    else if (sub < 9) void this.#disable(gateway, this.#oneOf(hooks));
    else if (sub < 12) this.#die(gateway);
    else if (sub < 17) void this.#move(gateway, this.#oneOf([...this.#seen, row]), putOff);
    else if (sub < 20) this.#lookAtDisabled(gateway, this.#oneOf([...this.#seen, row]));
    else if (sub < 26) void this.#attempt(gateway, row.id, 'hand', this.#answer());
    else if (sub < 30) void this.#attempt(gateway, row.id, 'fault', this.#answer());
    else if (row.state === 'pending') void this.#attempt(gateway, row.id, 'schedule', this.#answer());
  }

  async #make(): Promise<void> {
    const id = `d${++this.#made}`;
    const row = makeDeliveryRow({ id, event_id: id, webhook_id: this.#oneOf(hooks), due_at: this.#now });
    this.#disk.commit([{ insert: 'webhook_deliveries', row }]);
  }

  /** Lets the schedule look at all deliveries. This is called again and again, once all faults are over. */
  #lookAtAll(): void {
    const gateway = this.#gateways.get('one') as DatabaseClient;
    for (const row of [...this.#disk.deliveries.values()])
      if (row.state !== 'pending') continue;
      else if (this.#disk.disabled.has(row.webhook_id)) void this.#move(gateway, row, { is: 'unwanted' });
      else void this.#attempt(gateway, row.id, 'schedule', refuses);
  }

  #lookAtDisabled(gateway: DatabaseClient, seen: WebhookDeliveryRow): void {
    if (this.#disk.disabled.has(seen.webhook_id)) void this.#move(gateway, seen, { is: 'unwanted' });
  }

  #answer(): PostResult {
    return this.#oneOf([refuses, refuses, refuses, refuses, takes, silent, isGone]);
  }

  #attempt(
    gateway: DatabaseClient,
    delivery_id: string,
    by: WebhookAttemptRow['by'],
    posted: PostResult,
  ): Promise<void> {
    const row: WebhookAttemptRow = {
      id: `attempt ${++this.#attempts}`,
      delivery_id,
      at: this.#now,
      duration_ms: 1,
      by,
      status: posted.status ?? null,
      error: posted.error ?? null,
      answer: null,
    };
    const input = makeAttemptInput(by, posted);
    return this.#move(gateway, delivery_id, input, (update) => [{ insert: 'webhook_attempts', row }, update]);
  }

  async #move(
    gateway: DatabaseClient,
    seen: WebhookDeliveryRow | string,
    input: Input,
    batch?: (update: RowChange) => RowChange[],
  ): Promise<void> {
    const id = typeof seen === 'string' ? seen : seen.id;
    this.#say(`${gateway.name} ${id}: ${JSON.stringify(input)}`);
    let failedBy: WebhookAttemptRow['by'] | undefined;
    const moving = {
      runtime: { clock: { now: () => this.#now++ }, random: this.#random, timeouts: defaultTimeouts },
      read: () => this.#database.read(gateway, () => this.#disk.deliveries.get(id)),
      commit: (changes: readonly RowChange[]) =>
        this.#commit(gateway, changes, () => {
          const { state } = this.#disk.deliveries.get(id) as WebhookDeliveryRow;
          if ('by' in input && state === 'failed') failedBy = input.by;
        }),
      decides: (...asked: Parameters<typeof decide>) => this.#decide(...asked),
    };
    try {
      const moved = await commitDeliveryInput(moving, seen, input, batch);
      this.#checkMoved(moved, input, failedBy);
      for (const effect of moved.effects) await this.#do(gateway, moved.delivery, effect);
    } catch (error) {
      if (!(error instanceof DiskFullError)) this.#break(error);
    }
  }

  async #commit(gateway: DatabaseClient, given: readonly RowChange[], stored: () => void) {
    const batch = this.#plant.stores(given);
    const result = await this.#database.commit(gateway, () => {
      const applied = this.#disk.commit(batch);
      if (applied.is === 'applied') stored();
      return applied;
    });
    const isFull = result.is === 'refused' && result.because === 'storage';
    return isFull && this.#plant.noRoom === 'applied' ? ({ is: 'applied' } as const) : result;
  }

  #decide(...asked: Parameters<typeof decide>): ReturnType<typeof decide> {
    const [row, input, facts] = asked;
    this.#met.hit(row.state, input.is);
    const settled = { ...facts, retryInMs: (tries: number) => facts.retryInMs(tries) && tries };
    const [one, other] = [this.#plant.decides(row, input, settled), this.#plant.decides(row, input, settled)];
    if (JSON.stringify(one) !== JSON.stringify(other))
      this.#break(new Error('another decision on the same facts'));
    return this.#plant.decides(...asked);
  }

  #checkMoved(
    { delivery, effects }: DeliveryInputResult,
    input: Input,
    failedBy: WebhookAttemptRow['by'] | undefined,
  ): void {
    const { id, state } = delivery;
    const row = this.#disk.deliveries.get(id);
    if (state !== 'pending' && row?.state === 'pending')
      this.#break(new Error(`${id} is taken for ${state} and waits on disk`));
    const does = effects.map((effect) => effect.do);
    if (failedBy === 'schedule' && !does.includes('journalFailure'))
      this.#break(new Error(`${id} has failed and nobody says so`));
    if (input.is === 'gone' && !does.includes('disableWebhook'))
      this.#break(new Error(`${id} is answered with 410 and its webhook is not disabled`));
  }

  async #do(gateway: DatabaseClient, { webhook_id }: WebhookDeliveryRow, effect: Effect): Promise<void> {
    this.#say(`${gateway.name} ${JSON.stringify(effect)}`);
    if (effect.do === 'disableWebhook') await this.#disable(gateway, webhook_id);
  }

  async #disable(gateway: DatabaseClient, hook: string): Promise<void> {
    this.#say(`${gateway.name} disables ${hook}`);
    const set = { disabled_at: this.#now };
    await this.#commit(
      gateway,
      [
        { update: 'webhooks', where: { id: hook }, set },
        makeFailDeliveriesChange(hook, 'it is disabled', this.#now),
      ],
      () => {},
    );
  }

  #die(gateway: DatabaseClient): void {
    gateway.dead = true;
    this.#say(`${gateway.name} dies`);
    this.#gateways.set(gateway.name, { name: gateway.name, dead: false });
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

const takes: PostResult = { status: 200, error: undefined, answer: undefined };
const refuses: PostResult = { status: 500, error: undefined, answer: undefined };
const isGone: PostResult = { status: 410, error: undefined, answer: undefined };
const silent: PostResult = { status: undefined, error: 'no answer', answer: undefined };
const putOff: Input = { is: 'putOff', forMs: 1_000, why: 'a test delays the event' };
