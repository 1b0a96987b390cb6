import { PostgresDatabases } from './postgres-databases.ts';

/**
 * The database from which each database for gateways is copied. To make all tables anew would take longer than most
 * tests.
 */
export const template = 'pinpad_template';

/** The server that all test files of a run share, so no test may kill it. */
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
