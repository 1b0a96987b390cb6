import type { Migration } from 'kysely/migration';
import * as payments from './0001-payments.ts';

export const migrations: Record<string, Migration> = { '0001-payments': payments };
