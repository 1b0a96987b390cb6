import { withoutUndefined } from '../../shared/without-undefined.ts';

/**
 * A description of the payment that a POS asks a terminal to collect. The scenario's POS makes a payment request from
 * it.
 */
export interface RequestedPayment {
  /** The amount in major units. It may be absent only if `body` contains the amount. */
  amount?: number;
  /** The field saleReferenceId. */
  reference?: string;
  /**
   * The tips to offer. `true` means the default tips. A list of numbers gives percentages. An object gives percentages
   * or fixed amounts, and may allow a custom tip.
   */
  tip?: boolean | readonly number[] | TipChoices;
  /** The field allowedPaymentBrand. */
  brands?: readonly string[];
  /** The field forceEntryMode. */
  entry?: readonly string[];
  /** The field customerLanguage. */
  language?: string;
  /** The field debitPreferredFlag. */
  debitPreferred?: boolean;
  /** The field merchantCategoryCode. */
  category?: string;
  /** Fields of the body. They replace the fields that are made from the other properties. */
  body?: Record<string, unknown>;
}

interface TipChoices {
  percent?: readonly number[];
  fixed?: readonly number[];
  custom?: boolean;
}

/** Returns the body of a payment request (B11). */
export function makePaymentRequestBody(order: RequestedPayment): Record<string, unknown> {
  const conditions = withoutUndefined({
    allowedPaymentBrand: order.brands,
    forceEntryMode: order.entry,
    customerLanguage: order.language,
    debitPreferredFlag: order.debitPreferred,
    merchantCategoryCode: order.category,
  });
  const made = withoutUndefined({
    paymentTransaction:
      order.amount === undefined ? undefined : { amountsReq: { requestedAmount: order.amount } },
    saleData: order.reference === undefined ? undefined : { saleReferenceId: order.reference },
    transactionConditions: Object.keys(conditions).length > 0 ? conditions : undefined,
    gratuity: order.tip === undefined ? undefined : gratuityOf(order.tip),
  });
  return merged(made, order.body ?? {});
}

function gratuityOf(tip: NonNullable<RequestedPayment['tip']>): object {
  if (typeof tip === 'boolean') return { enabled: tip };
  const { percent = [], fixed = [], custom = false } = 'length' in tip ? { percent: tip, custom: true } : tip;
  return {
    enabled: true,
    options: [
      ...percent.map((value) => ({ type: 'percentage', value })),
      ...fixed.map((value) => ({ type: 'fixed', value })),
      ...(custom ? [{ type: 'custom' }] : []),
    ],
  };
}

function merged(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base };
  for (const [field, value] of Object.entries(over)) {
    const below = result[field];
    result[field] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
