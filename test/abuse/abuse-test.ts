import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../shared/random.ts';
import { check, type Violation } from '../load/check.ts';
import { BackOfficeCheck } from '../load/check-back-office.ts';
import { endingOf } from '../load/endings.ts';
import { leaveEvidence } from '../load/evidence.ts';
import { Paid } from '../load/giving-back.ts';
import { type Load, loadOf } from '../load/load.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { World } from '../load/world.ts';
import { attacks } from './attacks/all.ts';
import { fullDisk, type Mishaps, wrongClock } from './bad-luck.ts';
import { CardNumbers, spelling } from './card-numbers.ts';
import { type Disk, diskOf } from './disk.ts';
import { HostileSockets } from './hostile-sockets.ts';
import { backWhereTheyWere, type Resources, resourcesOf } from './resources.ts';
import { filesIn, findSecrets } from './secrets.ts';
import { hostileAccount, Target } from './target.ts';

export interface AbuseTestOptions {
  minutes: number;
  seed: number;
  /** Data of the processes, and the evidence when something is wrong. */
  folder: string;
  /** Ends it early. */
  signal?: AbortSignal;
  progress?(summary: AbuseSummary): void;
}

export interface AbuseSummary {
  rounds: number;
  /** How the disk was made full. */
  disk: string;
  payments: number;
  approved: number;
  /** Orders of the back office, and how many of them a full disk refused. */
  orders: number;
  refused: number;
  /** Requests of attackers that had to be answered, and connections of theirs that had to be ended. */
  hostileRequests: number;
  hostileConnections: number;
  mishaps: number;
  before: Resources;
  after: Resources;
  violations: Violation[];
}

/** Clients' time on the wire, shorter than usual so that a round sees the end of it. */
const timeouts = {
  headersMs: 4_000,
  requestMs: 6_000,
  keepAliveMs: 3_000,
  sendMs: 3_000,
  heartbeatMs: 3_000,
  acknowledgeMs: 3_000,
};
/** By then every hostile connection is over: the longest of these, twice, and what a busy machine adds. */
const endedWithinMs = 2 * 6_000 + 15_000;
const timeScale = 0.05;
const warmUpMs = 5_000;
const roundMs = 12_000;

/** Attacks a gateway under load, round after round until the time is up or something is wrong; rejects when interrupted. */
export async function abuseTest(options: AbuseTestOptions): Promise<AbuseSummary> {
  const run = await AbuseRun.start(options);
  try {
    await Promise.race([rounds(run, options), interrupted(options.signal)]);
    await run.stop();
    if (run.summary.violations.length === 0) run.searchFiles();
    if (run.summary.violations.length > 0) await run.keepEvidence();
  } finally {
    await run.stop();
    run.removeDisk();
  }
  return run.summary;
}

async function rounds(run: AbuseRun, { minutes, progress }: AbuseTestOptions): Promise<void> {
  const untilMs = performance.now() + minutes * 60_000;
  await run.warmUp();
  do {
    await run.round();
    progress?.(run.summary);
  } while (run.summary.violations.length === 0 && performance.now() + roundMs < untilMs);
}

/** Points of sale ask until the outcome is known, so a round by itself ends too late. */
function interrupted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

class AbuseRun {
  readonly summary: AbuseSummary;
  #options: AbuseTestOptions;
  #world: World;
  #disk: Disk;
  #receiver: WebhookReceiver;
  #officeCheck: BackOfficeCheck;
  #random;
  #numbers: CardNumbers;
  #target: Target | undefined;
  #mishaps: Mishaps = [];
  readonly #paid = new Paid();
  #last: Load = { payments: [], office: [] };

  static async start(options: AbuseTestOptions): Promise<AbuseRun> {
    const random = seededRandom(options.seed);
    const receiver = await WebhookReceiver.start(random, true);
    const world = new World({
      folder: options.folder,
      timeScale,
      webhook: receiver,
      terminals: 3,
      preload: join(import.meta.dirname, 'meddle.ts'),
      settings: { timeouts, journal: { entries: 2_000, bytes: 4_000_000 } },
      accounts: [hostileAccount],
    });
    const run = new AbuseRun(options, world, diskOf(world), receiver, random);
    await world.start().catch(async (error) => {
      await run.stop();
      run.removeDisk();
      throw error;
    });
    return run;
  }

  private constructor(
    options: AbuseTestOptions,
    world: World,
    disk: Disk,
    receiver: WebhookReceiver,
    random: ReturnType<typeof seededRandom>,
  ) {
    this.#options = options;
    this.#world = world;
    this.#disk = disk;
    this.#receiver = receiver;
    this.#random = random;
    this.#numbers = new CardNumbers(random);
    this.#officeCheck = new BackOfficeCheck(world, receiver);
    this.summary = {
      rounds: 0,
      disk: disk.how,
      payments: 0,
      approved: 0,
      orders: 0,
      refused: 0,
      hostileRequests: 0,
      hostileConnections: 0,
      mishaps: 0,
      before: { descriptors: 0, usedMB: 0 },
      after: { descriptors: 0, usedMB: 0 },
      violations: [],
    };
  }

  /** Load alone: what a gateway holds after that is what it has to hold after the attacks. */
  async warmUp(): Promise<void> {
    this.#target = new Target(this.#world, this.#random, new HostileSockets(this.#world.url), this.#numbers);
    await this.#load(`s${this.#options.seed}-warm`, performance.now() + warmUpMs);
    await this.#check();
    this.summary.before = await resourcesOf(this.#world.gateway);
  }

  async round(): Promise<void> {
    const target = this.#target as Target;
    const untilMs = performance.now() + roundMs;
    const name = `s${this.#options.seed}-r${this.summary.rounds}`;
    target.untilMs = untilMs;
    target.round = name;
    await Promise.all([
      this.#load(name, untilMs),
      ...attacks.map((attack) => attack(target)),
      wrongClock(this.#world, this.#random, untilMs, this.#mishaps),
      fullDisk(this.#world, this.#disk, this.#random, untilMs, this.#mishaps),
    ]);
    this.summary.rounds++;
    await this.#check();
    await this.#attackersAreOver(target);
    this.summary.hostileRequests = target.asked;
    this.summary.hostileConnections = target.sockets.opened;
    this.summary.mishaps = this.#mishaps.length;
  }

  async stop(): Promise<void> {
    this.#target?.sockets.destroyAll();
    this.#disk.empty();
    await this.#world.stop();
    this.#receiver.stop();
  }

  /** After the processes have ended: nothing secret may be in what they left. */
  searchFiles(): void {
    const { token, controlToken, terminals } = this.#world;
    const keys = terminals.map(({ deviceKey }) => deviceKey);
    const logs = filesIn(this.#world.logs);
    // The local commands need credentials.json (B124); the configuration is this test's own.
    const files = filesIn(this.#options.folder, ['credentials.json', 'pinpad.yaml']);
    this.summary.violations.push(
      ...findSecrets([
        { what: 'a card number', texts: this.#numbers.nowhere, files, shape: spelling },
        {
          what: 'a card number of a field that is given back',
          texts: this.#numbers.inNoLog,
          files: logs,
          shape: spelling,
        },
        { what: 'a token or key', texts: [token, controlToken, ...keys], files },
        { what: "a webhook's secret", texts: [this.#receiver.secret], files: logs },
      ]),
    );
  }

  /** What explains the violations. */
  async keepEvidence(): Promise<void> {
    const evidence = join(this.#options.folder, 'violation');
    await leaveEvidence(evidence, this.#world, this.#receiver, this.#last, this.summary.violations);
    writeFileSync(join(evidence, 'mishaps.txt'), this.#mishaps.join('\n'));
  }

  removeDisk(): void {
    this.#disk.remove();
  }

  async #load(name: string, untilMs: number): Promise<void> {
    const load = await loadOf(this.#world, this.#random, name, {
      untilMs: Date.now() + untilMs - performance.now(),
      paid: this.#paid,
    });
    this.#last = load;
    const orders = load.office.flatMap((backOffice) => backOffice.orders);
    this.summary.payments += load.payments.length;
    this.summary.approved += load.payments.filter((payment) => endingOf(payment) === 'approved').length;
    this.summary.orders += orders.length;
    this.summary.refused += orders.filter(({ status }) => status === 503).length;
  }

  async #check(): Promise<void> {
    const { payments, office } = this.#last;
    const ofPayments = await check(this.#world, payments, []);
    const ofOffice = await this.#officeCheck.check(office, (below) => this.#random.int(below));
    this.summary.violations.push(...ofPayments.violations, ...ofOffice.violations);
  }

  async #attackersAreOver({ sockets, complaints }: Target): Promise<void> {
    // While this side does not read, only the gateway's side shows whether it closed the connection.
    const { gateway } = this.#world;
    const { after, violations } = await backWhereTheyWere(gateway, this.summary.before, endedWithinMs);
    const left = await sockets.leftAfter(endedWithinMs);
    sockets.destroyAll();
    this.summary.after = after;
    this.summary.violations.push(
      ...complaints.map((detail) => ({ rule: 'every request is answered, and clearly', detail })),
      ...left.map((detail) => ({ rule: 'every hostile connection is ended', detail })),
      ...violations,
    );
  }
}
