import { PostgresDatabases } from './postgres-databases.ts';

/**
 * The database from which databases for gateways are copied, because making all tables takes longer than most tests.
 */
export const template = 'pinpad_template';

/** The server that the test files of a run share. No test may kill it. */
export class SharedPostgres extends PostgresDatabases {
  override newGatewaysUrl(): Promise<string> {
    return this.newUrl(template);
  }
}

/** Starts the server unless another test has done so. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const response = await fetch(process.env.PINPAD_POSTGRES as string);
  if (!response.ok) throw new Error(await response.text());
  return new SharedPostgres(Number(await response.text()));
}
