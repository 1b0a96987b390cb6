import { describe } from 'vitest';
import { postgresForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-server.ts';
import { systemClock } from '../clock.ts';
import { commitContract } from './commit-contract.fixture.ts';
import { Database } from './database.ts';

describe.runIf(hasPostgres())('PostgreSQL', () => {
  const server = postgresForFile();

  commitContract(async (options) =>
    Database.open({ ...options, url: (await server()).newUrl(), clock: systemClock }),
  );
});
