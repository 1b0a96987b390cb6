import { preparedFor } from '../../shared/database/prepared.ts';
import type { Schema } from './schema.ts';

/** Prepares a query that every payment needs; see {@link preparedFor}. */
export const prepared = preparedFor<Schema>();
