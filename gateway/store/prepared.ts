import { preparedStatementsFor } from '../../shared/database/prepared.ts';
import type { Schema } from './schema.ts';

/** A query on the gateway's store that every payment needs; see {@link preparedStatementsFor}. */
export const prepared = preparedStatementsFor<Schema>();
