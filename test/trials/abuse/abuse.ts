import { join } from 'node:path';
import type { Violation } from '../../load/check.ts';
import { OneGateway } from '../../load/one-gateway.ts';
import { type PlayedRound, RunningTrial, type TrialContext, type TrialKind } from '../trial.ts';
import { attacks } from './attacks/all.ts';
import { disturbWallClock, fillDiskRepeatedly, type Mishaps } from './bad-luck.ts';
import { CardNumbers, cardNumberPattern } from './card-numbers.ts';
import { type FillableDisk, makeFillableDisk } from './disk.ts';
import { HostileSockets } from './hostile-sockets.ts';
import { type Resources, resourcesOf, waitUntilResourcesReleased } from './resources.ts';
import { filesIn, findSecrets } from './secrets.ts';
import { AttackTarget, hostileAccount } from './target.ts';

export const abuseTrial: TrialKind = {
  about: `A hostile hour: attacks a gateway under load from every side, and checks that other clients are not affected.
Slow heads, noise, forms, upgrades, frames, unread streams, strangers and card numbers, while the disk is full now
and then and the wall clock goes back and forth. After each round: no payment is open past its deadline, the books
agree, every request was answered or its connection ended, descriptors and memory are back where they were; in the end no
secret is in any file.`,
  usual: { minutes: 1 },
  anyTime: true,
  open: async (means) => new Abuse(means),
};

/** The time limits for clients' connections. They are shorter than usual, so that they pass within a round. */
const timeouts = {
  headersMs: 4_000,
  requestMs: 6_000,
  keepAliveMs: 3_000,
  sendMs: 3_000,
  heartbeatMs: 3_000,
  acknowledgeMs: 3_000,
};
/**
 * The time within which every hostile connection has ended: twice the longest time limit in `timeouts`, plus the time
 * that a busy machine adds.
 */
const endedWithinMs = 2 * 6_000 + 15_000;
const timeScale = 0.05;
const warmUpMs = 5_000;
const roundMs = 12_000;

class Abuse extends RunningTrial {
  readonly world: OneGateway;
  readonly #disk: FillableDisk;
  readonly #numbers: CardNumbers;
  readonly #mishaps: Mishaps = [];
  #target: AttackTarget | undefined;
  /**
   * The gateway's resources after ordinary load. After the attacks, the gateway must hold roughly the same resources or
   * less.
   */
  #before: Resources | undefined;

  constructor(means: TrialContext) {
    super(means);
    this.#numbers = new CardNumbers(means.random);
    this.world = new OneGateway({
      folder: means.folder,
      timeScale,
      webhook: means.receiver,
      terminals: 3,
      preload: join(import.meta.dirname, 'meddle.ts'),
      settings: { timeouts, journal: { entries: 2_000, bytes: 4_000_000 } },
      accounts: [hostileAccount],
    });
    this.#disk = makeFillableDisk(this.world);
    means.say(`the disk: ${this.#disk.how}`);
  }

  override async warmUp(name: string): Promise<PlayedRound> {
    return { load: await this.load(name, warmUpMs), accidents: [] };
  }

  async play(name: string): Promise<PlayedRound> {
    const { world } = this;
    const { random } = this.means;
    const untilMs = performance.now() + roundMs;
    this.#target ??= new AttackTarget(world, random, new HostileSockets(world.url), this.#numbers);
    const target = this.#target.during(name, untilMs);
    const [load] = await Promise.all([
      this.load(name, roundMs),
      ...attacks.map((attack) => attack(target)),
      disturbWallClock(world, random, untilMs, this.#mishaps),
      fillDiskRepeatedly(world, this.#disk, random, untilMs, this.#mishaps),
    ]);
    return { load, accidents: this.#mishaps };
  }

  override async findings(): Promise<Violation[]> {
    const { gateway } = this.world;
    const { tally } = this.means;
    this.#before ??= await resourcesOf(gateway);
    this.#report('before', this.#before);
    if (!this.#target) return [];
    const { sockets, complaints, asked } = this.#target;
    // This process does not read from its sockets, so only the gateway's side shows whether the gateway closed them.
    const { after, violations } = await waitUntilResourcesReleased(gateway, this.#before, endedWithinMs);
    const left = await sockets.leftAfter(endedWithinMs);
    sockets.destroyAll();
    this.#report('after', after);
    tally.set('attacks', 'requests', asked);
    tally.set('attacks', 'connections', sockets.opened);
    tally.set('accidents', 'mishaps', this.#mishaps.length);
    return [
      ...complaints.map((detail) => ({ rule: 'every request is answered, and clearly', detail })),
      ...left.map((detail) => ({ rule: 'every hostile connection is ended', detail })),
      ...violations,
    ];
  }

  #report(when: 'before' | 'after', { descriptors, usedMB }: Resources): void {
    if (descriptors !== undefined) this.means.tally.set('descriptors', when, descriptors);
    this.means.tally.set('memory', `MB ${when}`, usedMB);
  }

  /** Keeps the logs of all rounds, because at the end everything that was ever logged is searched for secrets. */
  override forget(): void {}

  override findingsAtEnd(): Violation[] {
    const { tally, folder, receiver, say } = this.means;
    if (tally.of('back office', 'of them refused') === 0)
      say('No order met the full disk: on a busy machine, take more minutes.');
    const { token, controlToken, terminals, logs: logFolder } = this.world;
    const keys = terminals.map(({ deviceKey }) => deviceKey);
    const logs = filesIn(logFolder);
    // Two files may contain secrets. The local commands need credentials.json (B124), and pinpad.yaml is this
    // test's own configuration.
    const files = filesIn(folder, ['credentials.json', 'pinpad.yaml']);
    const { nowhere, inNoLog } = this.#numbers;
    const field = 'a card number of a field that is given back';
    return findSecrets([
      { what: 'a card number', texts: nowhere, files, shape: cardNumberPattern },
      { what: field, texts: inNoLog, files: logs, shape: cardNumberPattern },
      { what: 'a token or key', texts: [token, controlToken, ...keys], files },
      { what: "a webhook's secret", texts: [receiver.secret], files: logs },
    ]);
  }

  override async stop(): Promise<void> {
    this.#target?.sockets.destroyAll();
    this.#disk.empty();
    await super.stop();
  }

  override async remove(): Promise<void> {
    this.#disk.remove();
  }
}
