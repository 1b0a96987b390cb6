import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeProcess } from '../node-process.ts';

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

/** How many terminals each emulator process hosts. */
const emulators = [3, 3];

/** One gateway and two emulators as real processes on one data folder each, which can be killed and started again. */
export class World {
  readonly answerLimitMs: number;
  #folder: string;
  #timeScale: number;
  #port = 0;
  #ready: GatewayReady | undefined;
  #gateway: NodeProcess<GatewayReady> | undefined;
  #emulators: (NodeProcess<unknown> | undefined)[] = emulators.map(() => undefined);
  #downSince: number | undefined;
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
    for (const nth of emulators.keys()) await this.startEmulator(nth);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#emulators.map((each) => each?.stop()));
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
  get emulators(): readonly number[] {
    return [...emulators.keys()];
  }

  /** True when a request sent at `atMs` may have been cut by a kill of the gateway. */
  gatewayWasDownSince(atMs: number): boolean {
    return this.#downSince !== undefined || this.#upSince >= atMs;
  }

  async startGateway(): Promise<void> {
    const gateway = await NodeProcess.start<GatewayReady>('bin/pinpad.js', [
      'gateway',
      '--json',
      `--config=${join(this.#folder, 'pinpad.yaml')}`,
      `--data=${join(this.#folder, 'gateway')}`,
      `--port=${this.#port}`,
      `--time-scale=${this.#timeScale}`,
    ]);
    this.#gateway = gateway;
    this.#ready = gateway.ready;
    this.#port = Number(new URL(gateway.ready.url).port);
    this.#upSince = Date.now();
    this.#downSince = undefined;
  }

  async killGateway(): Promise<void> {
    this.#downSince = Date.now();
    await this.#end('gateway', this.#gateway);
    this.#gateway = undefined;
  }

  async startEmulator(nth: number): Promise<void> {
    const before = emulators.slice(0, nth).reduce((sum, count) => sum + count, 0);
    const terminals = this.terminals.slice(before, before + (emulators[nth] ?? 0));
    this.#emulators[nth] = await NodeProcess.start('bin/pinpad.js', [
      'terminal',
      '--json',
      `--gateway=${this.url}`,
      `--control-token=${this.controlToken}`,
      `--config=${join(this.#folder, 'pinpad.yaml')}`,
      `--data=${this.#emulatorData(nth)}`,
      `--time-scale=${this.#timeScale}`,
      ...terminals.map(({ poiId }) => poiId),
    ]);
  }

  async killEmulator(nth: number): Promise<void> {
    await this.#end(`emulator ${nth}`, this.#emulators[nth]);
    this.#emulators[nth] = undefined;
  }

  /** The device is thrown away: whatever replaces it knows nothing of what it did. */
  wipeEmulator(nth: number): void {
    rmSync(this.#emulatorData(nth), { recursive: true, force: true });
  }

  /** What the processes wrote to standard error, those that were killed included. */
  get log(): string {
    const living = [this.#gateway, ...this.#emulators].map((each) => each?.log ?? '');
    return [...this.#logs, ...living].join('\n');
  }

  async #end(name: string, victim: NodeProcess<unknown> | undefined): Promise<void> {
    await victim?.kill();
    if (victim?.log) this.#logs.push(`── ${name}, killed ${new Date().toISOString()}\n${victim.log}`);
    this.#logs = this.#logs.slice(-20);
  }

  #emulatorData(nth: number): string {
    return join(this.#folder, `emulator-${nth}`);
  }

  get #known(): GatewayReady {
    if (!this.#ready) throw new Error('the gateway was never started');
    return this.#ready;
  }
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
          terminals: Array.from({ length: emulators.reduce((sum, count) => sum + count, 0) }, (_, nth) => ({
            poiId: `V400m-${300_000_001 + nth}`,
          })),
        },
      ],
    },
  ],
  shopper: { card: 'offline-pin', entry: 'ICC', tip: '1', thinkMs: 3 },
};
