import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
const terminalCount = 5;

/** How the host treats the first terminals, so that kills hit payments that are approved and do not know it yet. */
const hosts = [{ type: 'silent' }, { type: 'late', delayMs: 40 }, { type: 'late', delayMs: 40 }];

/** One gateway and some terminals as real processes on a data folder each, which can be killed and started again. */
export class World {
  readonly answerLimitMs: number;
  #folder: string;
  #timeScale: number;
  #port = 0;
  #ready: GatewayReady | undefined;
  #gateway: NodeProcess<GatewayReady> | undefined;
  #running: (NodeProcess<unknown> | undefined)[] = Array(terminalCount).fill(undefined);
  #down = true;
  #upSince = 0;
  #logs: string[] = [];

  constructor(folder: string, timeScale: number) {
    this.#folder = folder;
    this.#timeScale = timeScale;
    // The longest hold of an answer (specification §8), and what a busy machine may add.
    this.answerLimitMs = 190_000 * timeScale + 15_000;
  }

  async start(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, 'pinpad.yaml'), JSON.stringify(configuration));
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
    return this.#known.terminals;
  }

  /** True when a request sent at `atMs` may have been cut by a kill of the gateway. */
  gatewayWasDownSince(atMs: number): boolean {
    return this.#down || this.#upSince >= atMs;
  }

  /** With `stillbornMs` a first try is killed so long after it began, wherever it is in its start. */
  async startGateway(stillbornMs?: number): Promise<void> {
    const command = [
      'gateway',
      '--json',
      `--config=${join(this.#folder, 'pinpad.yaml')}`,
      `--data=${join(this.#folder, 'gateway')}`,
      `--port=${this.#port}`,
      `--time-scale=${this.#timeScale}`,
    ];
    const gateway = await begin<GatewayReady>(command, stillbornMs);
    this.#gateway = gateway;
    this.#ready = gateway.ready;
    this.#port = Number(new URL(gateway.ready.url).port);
    this.#upSince = Date.now();
    this.#down = false;
  }

  async killGateway(): Promise<void> {
    this.#down = true;
    await this.#end('gateway', this.#gateway);
    this.#gateway = undefined;
  }

  async startTerminal(nth: number, stillbornMs?: number): Promise<void> {
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
    this.#running[nth] = await begin(command, stillbornMs);
  }

  async killTerminal(nth: number): Promise<void> {
    await this.#end(`terminal ${nth}`, this.#running[nth]);
    this.#running[nth] = undefined;
  }

  /** The device is thrown away: whatever replaces it knows nothing of what it did. */
  wipeTerminal(nth: number): void {
    rmSync(this.#terminalData(nth), { recursive: true, force: true });
  }

  /** What the processes wrote to standard error, those that were killed included. */
  get log(): string {
    const living = [this.#gateway, ...this.#running].map((each) => each?.log ?? '');
    return [...this.#logs, ...living].join('\n');
  }

  async #end(name: string, victim: NodeProcess<unknown> | undefined): Promise<void> {
    await victim?.kill();
    if (victim?.log) this.#logs.push(`── ${name}, killed ${new Date().toISOString()}\n${victim.log}`);
    this.#logs = this.#logs.slice(-20);
  }

  #terminalData(nth: number): string {
    return join(this.#folder, `terminal-${nth}`);
  }

  get #known(): GatewayReady {
    if (!this.#ready) throw new Error('the gateway was never started');
    return this.#ready;
  }
}

async function begin<Ready>(command: string[], stillbornMs?: number): Promise<NodeProcess<Ready>> {
  if (stillbornMs !== undefined) await NodeProcess.startAndKill('bin/pinpad.js', command, stillbornMs);
  return NodeProcess.start<Ready>('bin/pinpad.js', command);
}

const configuration = {
  pacing: 'instant',
  accounts: [
    {
      name: 'Crash Test',
      tokens: [{ token: 'test_crash_test_crash_test' }],
      stores: [
        {
          name: 'Crash Test',
          terminals: Array.from({ length: terminalCount }, (_, nth) => ({
            poiId: `V400m-${300_000_001 + nth}`,
          })),
        },
      ],
    },
  ],
  shopper: { card: 'offline-pin', entry: 'ICC', tip: '1', thinkMs: 6 },
};
