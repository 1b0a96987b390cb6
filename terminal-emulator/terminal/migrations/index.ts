import type { Migration } from 'kysely/migration';
import * as payments from './0001-payments.ts';
import * as attempts from './0002-attempts.ts';
import * as refusals from './0003-refusals.ts';
import * as holders from './0004-holders.ts';
import * as givesBack from './0005-gives-back.ts';

export const memoryMigrations: Record<string, Migration> = {
  '0001-payments': payments,
  '0002-attempts': attempts,
  '0003-refusals': refusals,
  '0004-holders': holders,
  '0005-gives-back': givesBack,
};
