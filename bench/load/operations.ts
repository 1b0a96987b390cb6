import { charge } from './charge.ts';
import type { Operation } from './operation.ts';
import { payment } from './payment.ts';
import { refund } from './refund.ts';

/** Everything the load process can do, by name. */
export const operations = { payment, charge, refund } satisfies Record<string, Operation>;
export type OperationName = keyof typeof operations;
