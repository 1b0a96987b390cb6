import { chargeOperation } from './charge.ts';
import type { Operation } from './operation.ts';
import { paymentOperation } from './payment.ts';
import { refundOperation } from './refund.ts';

/** Every operation that the load process can run, by name. */
export const operations = {
  payment: paymentOperation,
  charge: chargeOperation,
  refund: refundOperation,
} satisfies Record<string, Operation>;
export type OperationName = keyof typeof operations;
