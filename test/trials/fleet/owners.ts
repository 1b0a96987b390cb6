import pg from 'pg';

/** A payment that was open at a terminal when that terminal's gateway died. */
export interface Orphan {
  payment: string;
  poiId: string;
}

/** Reads from the database which gateway owns which terminal. */
export class TerminalOwnersReader {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(database: string): Promise<TerminalOwnersReader> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    return new TerminalOwnersReader(client);
  }

  /** Returns how many terminals are connected to gateways. Does not count those of the gateway `except`. */
  async connected(except = ''): Promise<number> {
    const { rows } = await this.#client.query(
      `select count(*)::int as count from terminal_owners join gateways on gateways.id = gateway_id
       where connected = 1 and name <> $1`,
      [except],
    );
    return rows[0].count;
  }

  /** Returns the gateway with the most terminals. */
  async largest(): Promise<{ name: string; count: number }> {
    const { rows } = await this.#client.query(
      `select name, count(*)::int as count from terminal_owners join gateways on gateways.id = gateway_id
       where connected = 1 group by name order by count desc limit 1`,
    );
    return rows[0];
  }

  async openOn(gateway: string): Promise<Orphan[]> {
    const { rows } = await this.#client.query<Orphan>(
      `select open_payments.payment_id as payment, terminals.poi_id as "poiId" from open_payments
       join terminals on terminals.id = open_payments.terminal_id
       join terminal_owners on terminal_owners.terminal_id = terminals.id
       join gateways on gateways.id = gateway_id where name = $1`,
      [gateway],
    );
    return rows;
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
