import { setImmediate as turnEnd } from 'node:timers/promises';
import type { PresetOutcome } from '../../../gateway/acquirer/schemas.ts';
import { makeGatewayPaymentOffer } from '../../../gateway/payments/core/payment-offer.ts';
import { makeSeededRandom } from '../../../shared/random.ts';
import { amountsToReverse, findPaidPayments, toRefundInput } from '../giving-back.ts';
import { makeAcceptedInput, outcomes, terminal } from '../inputs.ts';
import { giveBackAfterwards, payAfterwards } from './afterwards.ts';
import { Dice } from './dice.ts';
import { changePollMs, HistoryGateway, type World } from './gateway.ts';
import { HintCarrier } from './hints.ts';
import type { TwoOwnersBugParts } from './plant.ts';
import { SharedDatabase } from './shared-database.ts';
import { TerminalEnd } from './terminal-end.ts';
import { Timeline } from './timeline.ts';

/**
 * What may happen next, with its probability in percent: a message of the terminal, a request at a gateway, or a fault.
 */
const choices = [
  [40, 'message'],
  [4, 'goWell'],
  [6, 'accept'],
  [1, 'refund'],
  [5, 'giveBack'],
  [20, 'getOn'],
  [6, 'dial'],
  [8, 'pass'],
  [2, 'hangUp'],
  [3, 'abort'],
  [1, 'setOutcome'],
  [5, 'offer'],
  [1, 'deleteTerminal'],
  [2, 'kill'],
  [1, 'giveUp'],
  [2, 'catchUp'],
] as const;
type Choice = (typeof choices)[number][1];
/**
 * Within this time, a gateway with a link to an idle terminal checks at least once whether it still owns the terminal.
 */
const idleLookMs = 17 * changePollMs;

const drawn = choices.flatMap(([times, choice]) => Array<Choice>(times).fill(choice));

/**
 * Plays one terminal and two gateways that share a database, with everything that can go wrong between them. Both
 * gateways receive payment requests, and the terminal dials either of them. The invariants are checked after every
 * commit and before every effect.
 */
export class TwoOwnersHistory {
  /** What happened, for the person who has to understand a violation. */
  readonly said: string[] = [];
  readonly #world: World;
  readonly #gateways: HistoryGateway[];
  readonly #terminal: TerminalEnd;
  readonly #ids = [uuid(0)];
  #gatewaysMade = 0;
  /** Whether messages between the gateways are lost. */
  #deaf = false;
  #violation: { error: unknown } | undefined;

  constructor(seed: number, plant: TwoOwnersBugParts = {}) {
    const dice = new Dice(seed);
    const say = (said: string) => void this.said.push(said);
    const broken = (error: unknown) => {
      this.#violation ??= { error };
    };
    const timeline = new Timeline();
    const database = new SharedDatabase({ dice, plant, say, broken });
    const hints = new HintCarrier((arrive) => this.#carry(arrive));
    const shared = {
      outcomes: new Map<string, PresetOutcome>(),
      once: new Set<string>(),
      gone: new Set<string>(),
    };
    this.#world = {
      dice,
      chance: makeSeededRandom(seed),
      timeline,
      database,
      hints,
      plant,
      say,
      broken,
      ...shared,
    };
    this.#gateways = [this.#made('A'), this.#made('B')];
    this.#terminal = new TerminalEnd(this.#world, this.#ids);
  }

  /** @throws Error if an invariant is broken */
  async play(steps: number): Promise<void> {
    await this.#payWell();
    for (let step = 0; step < steps; step++) {
      await this.#something();
      await this.#settled();
    }
    await this.#end();
  }

  /**
   * In every second history on average, completes a payment before anything else happens, so that there is money to
   * give back.
   */
  async #payWell(): Promise<void> {
    const { dice, database } = this.#world;
    if (dice.once(2)) return;
    database.calm = true;
    const at = dice.oneOf(this.#gateways);
    this.#terminal.dials(at);
    await this.#settled();
    this.#asked(at.accept(() => this.#accepted(2_500)));
    await this.#settled();
    await this.#goWell();
    await this.#settled();
    database.calm = false;
  }

  async #something(): Promise<void> {
    const { dice, database, timeline } = this.#world;
    const choice = dice.oneOf(drawn);
    const at = dice.oneOf(this.#gateways);
    const id = dice.once(3) ? dice.oneOf(this.#ids) : (this.#ids.at(-1) as string);
    const does: Record<Choice, () => unknown> = {
      message: () => (this.#terminal.connected ? this.#terminal.says() : this.#terminal.dials(at)),
      goWell: () => this.#goWell(),
      accept: () => this.#asked(at.accept(() => this.#accepted())),
      refund: () => this.#asked(at.accept(() => toRefundInput(this.#accepted()))),
      giveBack: () => this.#giveBack(at),
      getOn: () => database.getOn(),
      dial: () => this.#terminal.dials(at),
      pass: () => timeline.pass(dice.oneOf([10, 1_000, 1_000, 40_000, 150_000])),
      hangUp: () => this.#terminal.hangsUp(),
      abort: () => this.#asked(at.abort(id)),
      setOutcome: () => this.#setOutcome(dice.oneOf([id, terminal.id])),
      offer: () => this.#offer(id),
      deleteTerminal: () => this.#deleteOrMake(at),
      kill: () => at.die(),
      giveUp: () => at.giveUp(this.#gatewayId()),
      catchUp: () => at.catchUp(),
    };
    if (choice !== 'message' && choice !== 'getOn') this.#world.say(`${choice} ${at.name} ${id.slice(-2)}`);
    await does[choice]();
  }

  /** Waits until everything that can happen at once has happened, and starts gateways that have died. */
  async #settled(): Promise<void> {
    await turnEnd();
    if (this.#violation) throw this.#violation.error;
    for (const [at, { dead, name }] of this.#gateways.entries())
      if (dead) this.#gateways[at] = this.#made(name);
  }

  /**
   * Ends all faults. Nothing is refused any more, the terminal has a link, and waiting statements are answered. If the
   * statements of a process would never be answered, the process starts again.
   */
  async #end(): Promise<void> {
    const { dice, database } = this.#world;
    const { disk } = database;
    database.calm = true;
    this.#world.say('the end');
    for (const gateway of this.#gateways) if (gateway.stuck) gateway.die();
    await this.#settled();
    while (database.waits) {
      database.getOn();
      await this.#settled();
    }
    disk.terminal = true;
    for (let left = 20; left > 0 && this.#isUnsettled(); left--) await this.#wait(100_000);
    if (disk.open.size > 0) throw new Error('a payment never concludes');
    await this.#wait(0);
    if (this.#terminal.isElsewhere) await this.#wait(idleLookMs);
    this.#deaf = dice.once(2);
    const id = uuid(this.#ids.length);
    const afterwards = { world: this.#world, terminal: this.#terminal, gateways: this.#gateways };
    await payAfterwards({ ...afterwards, asked: dice.oneOf(this.#gateways), id });
    const reversal = { ...afterwards, asked: dice.oneOf(this.#gateways), id: uuid(this.#ids.length + 1) };
    if (dice.once(2)) await giveBackAfterwards(reversal, id);
    await this.#settled();
    const [unanswered] = this.#unanswered();
    if (unanswered !== undefined) throw new Error(`${unanswered} is never answered`);
  }

  #isUnsettled(): boolean {
    return this.#world.database.disk.open.size > 0 || this.#unanswered().length > 0;
  }

  /** Lets time pass while the terminal has a link. */
  async #wait(ms: number): Promise<void> {
    for (const gateway of this.#gateways) gateway.catchUp();
    if (!this.#terminal.connected) this.#terminal.dials(this.#world.dice.oneOf(this.#gateways));
    await this.#world.timeline.pass(ms);
    await this.#settled();
  }

  #unanswered(): string[] {
    return this.#gateways.flatMap(({ unanswered }) => [...unanswered]);
  }

  /** Notes a violation if the request of a client ends with an error. */
  #asked(asked: Promise<unknown>): void {
    asked.catch((error) => this.#world.broken(error));
  }

  /**
   * Gives back money of a payment. Sometimes both gateways give money back at the same time. Together, the two requests
   * may ask for more money than is left.
   */
  #giveBack(at: HistoryGateway): void {
    const { dice, database } = this.#world;
    const paid = findPaidPayments(database.disk);
    const original = dice.oneOf(paid.length === 0 || dice.once(8) ? this.#ids : paid);
    for (const each of dice.once(3) ? this.#gateways : [at]) {
      const amount = dice.oneOf(amountsToReverse);
      this.#asked(each.giveBack(original, amount, (left) => this.#accepted(left)));
    }
  }

  /** Brings the open payment to its normal end at the terminal, unless something goes wrong meanwhile. */
  async #goWell(): Promise<void> {
    const id = [...this.#world.database.disk.open.keys()].at(-1);
    if (id !== undefined && this.#terminal.connected) await this.#terminal.pays(id);
  }

  #accepted(asked?: number) {
    const { dice, timeline } = this.#world;
    const id = uuid(this.#ids.length);
    this.#ids.push(id);
    const amount = asked ?? dice.oneOf([2_500, 2_500, 2_500, 124, 134]);
    const clock = timeline.clock();
    return makeAcceptedInput(
      id,
      amount,
      amount === 134 ? 'its ending' : null,
      clock.now(),
      clock.monotonic(),
    );
  }

  #setOutcome(subject: string): void {
    const { dice, outcomes: set } = this.#world;
    const mode = dice.oneOf(['once', 'always'] as const);
    const scope = subject === terminal.id ? 'terminal' : 'payment';
    set.set(subject, { subject, scope, mode, outcome: dice.oneOf(outcomes) });
  }

  /** Announces a payment again. The announcement may be outdated or wrong. */
  #offer(id: string): void {
    const { dice, database, hints } = this.#world;
    const row = database.disk.payments.get(id);
    if (!row) return;
    const other = dice.once(2) ? { amount: 1 } : { kind: 'payment' as const };
    const offer = dice.once(2) ? { ...makeGatewayPaymentOffer(row), ...other } : makeGatewayPaymentOffer(row);
    hints.say(`terminal.${terminal.id}`, { payment: id, tell: uuid(999), offer, outcomes: true });
  }

  #deleteOrMake(at: HistoryGateway): void {
    const { disk } = this.#world.database;
    if (disk.terminal) this.#asked(at.deleteTerminal());
    else disk.terminal = true;
  }

  #carry(arrive: () => void): void {
    const { dice, database } = this.#world;
    const chance = database.calm ? 9 : dice.random.int(10);
    if (chance < 2 || this.#deaf) return;
    if (chance < 4) database.waitWith(arrive);
    else queueMicrotask(arrive);
    if (chance === 4) database.waitWith(arrive);
  }

  #made(name: string): HistoryGateway {
    return new HistoryGateway(name, this.#gatewayId(), this.#world);
  }

  #gatewayId(): string {
    return uuid(1_000 + this.#gatewaysMade++);
  }
}

function uuid(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
