import { describe } from 'vitest';
import { hasPostgres, postgresForFile } from '../../test/postgres-server.ts';
import { systemClock } from '../clock.ts';
import { commitContract } from './commit-contract.fixture.ts';
import { Database } from './database.ts';

describe.runIf(hasPostgres())('PostgreSQL', () => {
  const server = postgresForFile();

  commitContract(async (options) =>
    Database.open({ ...options, url: (await server()).newUrl(), clock: systemClock }),
  );
});
