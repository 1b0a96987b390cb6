import { existsSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { NodeProcess } from '../node-process.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { World, type WorldOptions } from './world.ts';

/** One gateway with its own database, and several terminals. */
export class OneGateway extends World {
  #diskFull = false;
  #writableSince = 0;

  constructor(options: WorldOptions) {
    super(options, { gateways: ['gateway'], slackMs: 15_000 });
  }

  get url(): string {
    return this.known.url;
  }

  /** The gateway's process. */
  get gateway(): NodeProcess<unknown> {
    return this.#only.process;
  }

  /** The folder in which the gateway keeps its data. */
  get gatewayData(): string {
    return this.#only.data;
  }

  /** Tells this object whether the gateway's disk is full. */
  set diskFull(full: boolean) {
    this.#diskFull = full;
    if (!full) this.#writableSince = Date.now();
  }

  mayRefuseSince(atMs: number): boolean {
    return this.#diskFull || this.#writableSince >= atMs;
  }

  async tables(): Promise<Record<string, Record<string, unknown>[]>> {
    const file = join(this.gatewayData, 'pinpad.sqlite');
    if (!existsSync(file)) return {};
    const db = new SQLite(file, { readonly: true });
    const names = db
      .prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'")
      .all();
    const rowsOf = (name: string) => db.prepare<[], Record<string, unknown>>(`select * from "${name}"`).all();
    const tables = Object.fromEntries(names.map(({ name }) => [name, rowsOf(name)]));
    db.close();
    return tables;
  }

  get #only(): GatewayProcess {
    return this.gateways[0] as GatewayProcess;
  }
}
