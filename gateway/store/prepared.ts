import { createQueryPreparer } from '../../shared/database/prepared.ts';
import type { GatewayTables } from './schema.ts';

/** Prepares a query that every payment needs; see {@link createQueryPreparer}. */
export const prepareQuery = createQueryPreparer<GatewayTables>();
