import type { Operation } from './operation.ts';
import { payment } from './payment.ts';

/** Everything the load process can do, by name. */
export const operations = { payment } satisfies Record<string, Operation>;
export type OperationName = keyof typeof operations;
