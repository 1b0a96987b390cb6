import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, systemClock } from '../../shared/clock.ts';
import { pinpadCommand } from '../built-package.ts';
import { NodeProcess } from '../node-process.ts';
import { control } from './control.ts';

interface Terminal {
  poiId: string;
  identifier: string;
  deviceKey: string;
}

interface GatewayReady {
  url: string;
  token: string;
  controlToken: string;
  terminals: Terminal[];
}

/** Each in a process of its own. */
const usualTerminals = 5;

/** How the host treats the first terminals, so that kills hit payments that are approved and do not know it yet. */
const hosts = [{ type: 'silent' }, { type: 'late', delayMs: 40 }, { type: 'late', delayMs: 40 }];

/** What the back office works with. */
export const contact = 'robin';
export const bankAccount = 'current-account';
export const securityAnswer = 'blue';
export const savedCards = {
  charged: [
    ...['visa', 'visa', 'mastercard', 'amex', 'insufficient-funds'],
    ...['refund-fails-later', 'refund-cannot-be-sent', 'refund-fails-at-once'],
  ],
  authorized: ['visa', 'mastercard', 'declined', 'fails-at-capture', 'refund-fails-later'],
};
/** Makes every surcharge a whole number of cents, for amounts that are multiples of 50. */
export const surchargePercent = 2;

/**
 * Right before or after so many commits from now, or effects of payments, the gateway kills itself. `broken`: nobody can know
 * whether that commit is on disk, and it ends by itself. Until then the disk refuses some commits of payments, where it
 * `refuses`.
 */
export interface StepKill {
  of: 'commit' | 'effect';
  steps: number;
  /** `thread`: after a commit, and only the thread that wrote dies, of which the gateway dies. */
  moment: 'before' | 'after' | 'thread' | 'broken';
  refuses: boolean;
}

export interface WorldOptions {
  /** Where the processes keep everything. */
  folder: string;
  timeScale: number;
  webhook: { url: string; secret: string };
  terminals?: number;
  /** A module that the gateway imports first, to do from inside what cannot be done to a process from outside. */
  preload?: string;
  /** Beside what every such test configures: settings of the gateway, and more accounts. */
  settings?: { timeouts?: object; journal?: object };
  accounts?: readonly object[];
}

/** One gateway and some terminals as real processes on a data folder each, which can be killed and started again. */
export class World {
  readonly answerLimitMs: number;
  #folder: string;
  #timeScale: number;
  #options: WorldOptions;
  #port = 0;
  #ready: GatewayReady | undefined;
  #gateway: NodeProcess<GatewayReady> | undefined;
  #running: (NodeProcess<unknown> | undefined)[];
  #down = true;
  #upSince = 0;
  #diskFull = false;
  #writableSince = 0;

  constructor(options: WorldOptions) {
    const { folder, timeScale, terminals = usualTerminals } = options;
    this.#folder = folder;
    this.#timeScale = timeScale;
    this.#options = options;
    this.#running = Array(terminals).fill(undefined);
    // The longest hold of an answer (B41), and what a busy machine may add.
    this.answerLimitMs = 190_000 * timeScale + 15_000;
  }

  async start(): Promise<void> {
    mkdirSync(this.logs, { recursive: true });
    writeFileSync(join(this.#folder, 'pinpad.yaml'), JSON.stringify(configuration(this.#options)));
    await this.startGateway();
    await Promise.all(this.#running.map((_, nth) => this.startTerminal(nth)));
    for (const [nth, outcome] of hosts.entries())
      await control(this, `/control/terminals/${this.terminals[nth]?.identifier}/outcome`, {
        outcome,
        mode: 'always',
      });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((each) => each?.stop()));
    await this.#gateway?.stop();
  }

  /** Everything the processes wrote to standard error, a file each: the journals of those that were killed too. */
  get logs(): string {
    return join(this.#folder, 'logs');
  }

  /** Where the gateway keeps its data. */
  get gatewayData(): string {
    return join(this.#folder, 'gateway');
  }

  get database(): string {
    return join(this.gatewayData, 'pinpad.sqlite');
  }

  /** What was written so far explains nothing that is still to come. */
  forgetLogs(): void {
    for (const name of readdirSync(this.logs)) writeFileSync(join(this.logs, name), '');
  }

  get url(): string {
    return this.#known.url;
  }
  get token(): string {
    return this.#known.token;
  }
  get controlToken(): string {
    return this.#known.controlToken;
  }
  get terminals(): readonly Terminal[] {
    return this.#known.terminals.slice(0, this.#running.length);
  }
  /** Those of the further accounts; no process is started for them. */
  get otherTerminals(): readonly Terminal[] {
    return this.#known.terminals.slice(this.#running.length);
  }

  /** True when a request sent at `atMs` may have been cut by a kill of the gateway. */
  gatewayWasDownSince(atMs: number): boolean {
    return this.#down || this.#upSince >= atMs;
  }

  /** Whether the gateway's disk is full. */
  set diskFull(full: boolean) {
    this.#diskFull = full;
    if (!full) this.#writableSince = Date.now();
  }

  /** True when a request sent at `atMs` may be refused with 503, because it could not be stored (B68). */
  mayRefuseSince(atMs: number): boolean {
    return this.#diskFull || this.#writableSince >= atMs;
  }

  /** Its gateway's process. */
  get gateway(): NodeProcess<unknown> {
    if (!this.#gateway) throw new Error('the gateway is not running');
    return this.#gateway;
  }

  /** The gateway is up. */
  get reachable(): boolean {
    return this.#gateway?.over === false;
  }

  /** With `failedStartMs` a first try is killed so long after it began, wherever it is in its start. */
  async startGateway(failedStartMs?: number): Promise<void> {
    const command = [
      'gateway',
      '--json',
      `--config=${join(this.#folder, 'pinpad.yaml')}`,
      `--data=${this.gatewayData}`,
      `--port=${this.#port}`,
      `--time-scale=${this.#timeScale}`,
    ];
    const logFile = join(this.logs, 'gateway.jsonl');
    const gateway = await begin<GatewayReady>(command, logFile, failedStartMs, this.#options.preload);
    this.#gateway = gateway;
    this.#ready = gateway.ready;
    this.#port = Number(new URL(gateway.ready.url).port);
    this.#upSince = Date.now();
    this.#down = false;
  }

  /** At once; or at a step, if it comes to that within `withinMs`. Returns whether it did. */
  async killGateway(at?: StepKill, withinMs = 0): Promise<boolean> {
    this.#down = true; // from now on no answer may be expected
    if (at && this.#gateway) {
      this.#gateway.send({ killAtStep: at });
      await Promise.race([this.#gateway.exited, delay(systemClock, withinMs)]);
    }
    const atStep = this.#gateway?.over === true;
    await this.#gateway?.kill();
    this.#gateway = undefined;
    return atStep;
  }

  async startTerminal(nth: number, failedStartMs?: number): Promise<void> {
    const terminal = this.terminals[nth];
    const command = [
      'terminal',
      '--json',
      `--gateway=${this.url}`,
      `--poi=${terminal?.poiId}`,
      `--key=${terminal?.deviceKey}`,
      `--config=${join(this.#folder, 'pinpad.yaml')}`,
      `--data=${this.#terminalData(nth)}`,
      `--time-scale=${this.#timeScale}`,
    ];
    this.#running[nth] = await begin(command, join(this.logs, `terminal-${nth}.jsonl`), failedStartMs);
  }

  async killTerminal(nth: number): Promise<void> {
    await this.#running[nth]?.kill();
    this.#running[nth] = undefined;
  }

  /** The device is thrown away: whatever replaces it knows nothing of what it did. */
  wipeTerminal(nth: number): void {
    rmSync(this.#terminalData(nth), { recursive: true, force: true });
  }

  #terminalData(nth: number): string {
    return join(this.#folder, `terminal-${nth}`);
  }

  get #known(): GatewayReady {
    if (!this.#ready) throw new Error('the gateway was never started');
    return this.#ready;
  }
}

async function begin<Ready>(
  command: string[],
  logFile: string,
  failedStartMs?: number,
  preload?: string,
): Promise<NodeProcess<Ready>> {
  if (failedStartMs !== undefined) await NodeProcess.startAndKill(pinpadCommand(), command, failedStartMs);
  return NodeProcess.start<Ready>(pinpadCommand(), command, {
    logFile,
    ...(preload === undefined ? {} : { preload }),
  });
}

function configuration({ webhook, terminals = usualTerminals, settings, accounts = [] }: WorldOptions) {
  return {
    pacing: 'instant',
    logLevel: 'debug', // the journals, so that they outlive who is killed
    controlToken: 'load-test-control-token',
    // Receivers fail often here; and one that is only slow on a busy machine has not failed.
    timeouts: { webhookRetryUnitMs: 1, webhookAnswerMs: 5_000, ...settings?.timeouts },
    ...(settings?.journal ? { journal: settings.journal } : {}),
    accounts: [
      {
        name: 'Load Test',
        tokens: [{ token: 'test_load_test_load_test' }],
        cardOnFile: true,
        surchargePercent,
        contacts: [
          {
            id: contact,
            name: 'Robin',
            cards: [...new Set([...savedCards.charged, ...savedCards.authorized])].map((card) => ({
              id: card,
              card,
            })),
          },
        ],
        bankAccounts: [{ id: bankAccount, name: 'Current account' }],
        securityQuestion: { question: 'What colour?', answer: securityAnswer },
        webhooks: [{ id: 'receiver', url: webhook.url, secret: webhook.secret }],
        stores: [
          {
            name: 'Load Test',
            terminals: Array.from({ length: terminals }, (_, nth) => ({
              poiId: `V400m-${300_000_001 + nth}`,
            })),
          },
        ],
      },
      ...accounts,
    ],
    shopper: { card: 'offline-pin', entry: 'ICC', tip: '1', thinkMs: 6 },
  };
}
