import { preparedStatementsFor } from '../../shared/database/prepared.ts';
import type { Schema } from './schema.ts';

/** Prepares a query that every payment needs; see {@link preparedStatementsFor}. */
export const prepareQuery = preparedStatementsFor<Schema>();
