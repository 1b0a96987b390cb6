import { asRecord } from '../../shared/journal-fields.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { withoutUndefined } from '../../shared/without-undefined.ts';
import { makePaymentRequestBody, type RequestedPayment } from '../environment/order.ts';
import { makeAdyenAnswerExpectation, stepOfMessage } from './adyen-steps.ts';
import type { IdPlaceholders } from './known-ids.ts';
import type { RecordedCredit } from './recorded-environment.ts';

/** The names that the scenario uses for terminals, customers and other things in the requests of the point of sale. */
export interface ScenarioNameLookup {
  /**
   * Returns the name that the scenario uses for the terminal of a request. Undefined if there is only one terminal.
   */
  terminal(request: PosRequest): string | undefined;
  /**
   * Returns the name that the scenario uses for the payment request or debit request to which a later request refers.
   */
  sale(of: { key?: string; payment?: string; transaction?: string }): string | undefined;
  /**
   * Notes that the scenario needs a customer. Returns the name that the scenario uses for the customer. Undefined if the
   * scenario uses its default customer instead.
   */
  useCustomer(id: string): string | undefined;
  /** Like `useCustomer`, but for a bank account. */
  useBankAccount(id: unknown): unknown;
  credit(id: string | undefined): (Pick<RecordedCredit, 'amount'> & Partial<RecordedCredit>) | undefined;
  ids: IdPlaceholders;
}

/** Returns the step that sends a request again. */
export function stepOfRequest(request: PosRequest, names: ScenarioNameLookup): Record<string, unknown> {
  const body = asRecord(request.body);
  const terminal = names.terminal(request);
  const at = terminal === undefined ? {} : { terminal };
  if (request.isOfDialect) return stepOfMessage(request, at, names);
  const debit = names.sale({ payment: request.payment }) ?? true;
  switch (request.kind) {
    case 'payment':
      return payStep(request, at);
    case 'status': {
      const asked = Object.fromEntries(request.query);
      return isReference(asked)
        ? { 'ask status': referenceOf(asked, names) }
        : makePlainRequestStep(request, names);
    }
    case 'latest':
      return { 'ask latest': true, ...at };
    case 'abort':
      return isReference(body) ? { abort: referenceOf(body, names) } : makePlainRequestStep(request, names);
    case 'abortLatest':
      return { 'abort latest': true, ...at };
    case 'charge':
    case 'preauthorize':
      return { [request.kind]: body.amount, ...chargeFields(request, names) };
    case 'capture':
      return { capture: debit };
    case 'refund': {
      const { amount, reason, reason_details: details } = body;
      return {
        refund: amount,
        ...(debit === true ? {} : { of: debit }),
        ...withoutUndefined({ reason, details }),
      };
    }
    case 'refunds':
      return { 'ask refunds': debit };
    case 'credit':
      return creditStep(request, names);
    case 'reversal':
    case 'cardRefund':
    case 'other':
      return makePlainRequestStep(request, names);
  }
}

/** Returns a `request` step, for requests that no other step can express. */
export function makePlainRequestStep(
  { method, path, query, body, isOfDialect }: PosRequest,
  { ids }: ScenarioNameLookup,
): Record<string, unknown> {
  const asked = query.size > 0 ? `?${query}` : '';
  return {
    request: `${method} ${ids.put(path + asked)}`,
    ...withoutUndefined({ body: ids.put(body), api: isOfDialect ? 'adyen' : undefined }),
  };
}

function chargeFields({ path, body }: PosRequest, names: ScenarioNameLookup): Record<string, unknown> {
  const [, , contactId = '', , cardId] = path.split('/').map(decodeURIComponent);
  const { amount: _reported, statement, note, to_bank_account_id: to, ...rest } = asRecord(body);
  const contact = names.useCustomer(contactId);
  const whose = contact === undefined ? {} : { contact, card: cardId };
  const more = Object.keys(rest).length > 0 ? rest : undefined;
  return withoutUndefined({ ...whose, to: names.useBankAccount(to), statement, note, body: more });
}

/**
 * Returns the step that creates a credit. The journal does not have the body of the request. So the body is made from
 * the gateway's data about the credit. Card numbers are masked as in the journal (B126).
 */
function creditStep(request: PosRequest, names: ScenarioNameLookup): Record<string, unknown> {
  const credit = names.credit(request.payment);
  if (!credit) return makePlainRequestStep(request, names);
  const { amount, contactId, fromBankAccountId, statement, note } = credit;
  const contact = contactId === undefined ? undefined : names.useCustomer(contactId);
  const from = names.useBankAccount(fromBankAccountId);
  const texts = { statement: shown(statement), note: shown(note) };
  return { 'send link': amount, ...withoutUndefined({ contact, from, ...texts }) };
}

const shown = (text?: string | null) => (typeof text === 'string' ? maskCardNumbers(text) : undefined);

function payStep({ body, key, prefer }: PosRequest, at: object): Record<string, unknown> {
  const { amount, ...order } = orderOf(asRecord(body));
  const async = prefer === 'respond-async' ? 'async' : prefer;
  return { pay: amount ?? 0, ...withoutUndefined({ key, ...order, prefer: async }), ...at };
}

/**
 * Writes the body of a payment request in the words of a scenario. Fields that these words cannot express are added
 * unchanged in the field `body`.
 */
function orderOf(body: Record<string, unknown>): RequestedPayment {
  const amounts = asRecord(asRecord(body.paymentTransaction).amountsReq);
  const conditions = asRecord(body.transactionConditions);
  const order = withoutUndefined({
    amount: amounts.requestedAmount,
    reference: asRecord(body.saleData).saleReferenceId,
    brands: conditions.allowedPaymentBrand,
    entry: conditions.forceEntryMode,
    language: conditions.customerLanguage,
    debitPreferred: conditions.debitPreferredFlag,
    category: conditions.merchantCategoryCode,
    tip: asRecord(body.gratuity).options === undefined ? asRecord(body.gratuity).enabled : undefined,
  }) as RequestedPayment;
  const said = makePaymentRequestBody(order);
  const rest = Object.entries(body).filter(([field, value]) => !sameJson(value, said[field]));
  return rest.length > 0 ? { ...order, body: Object.fromEntries(rest) } : order;
}

/**
 * Whether a request names its payment in exactly one way, as text (B47, B52). The gateway refuses any other request.
 * To get the same refusal, the step repeats such a request unchanged.
 */
function isReference({ transactionId, idempotencyKey }: Record<string, unknown>): boolean {
  const given = [transactionId, idempotencyKey].filter((one) => one !== undefined);
  return given.length === 1 && typeof given[0] === 'string' && given[0] !== '';
}

function referenceOf(
  { transactionId, idempotencyKey }: Record<string, unknown>,
  names: ScenarioNameLookup,
): unknown {
  if (typeof idempotencyKey === 'string') {
    const of = names.sale({ key: idempotencyKey });
    return of === undefined ? { key: idempotencyKey } : { of, by: 'key' };
  }
  const identifier = String(transactionId ?? '');
  const of = names.sale({ payment: identifier });
  return of === undefined ? { identifier } : { of, by: 'identifier' };
}

/** Returns the expectation for the answer to a request. */
export function makeAnswerExpectation(
  request: PosRequest,
  name: string,
): Record<string, unknown> | undefined {
  if (request.isOfDialect) return makeAdyenAnswerExpectation(request, name);
  if (!request.answered) return undefined;
  const { status, body } = request.answered.data;
  const { response, error, paymentResult } = asRecord(body);
  const { result, errorCondition } = asRecord(response);
  if (status === 200 && typeof result === 'string') {
    const outcome = errorCondition ?? result;
    const { tipAmount } = asRecord(asRecord(paymentResult).amountsResp);
    if (tipAmount === undefined) return { expect: outcome, of: name };
    const tip = { body: { paymentResult: { amountsResp: { tipAmount } } } };
    return { expect: { outcome, answer: tip }, of: name };
  }
  if (typeof error === 'string') return { expect: { answer: { status, error } }, of: name };
  const reported = reportedOf(request.kind, asRecord(body));
  return { expect: { answer: reported ? { status, body: reported } : status }, of: name };
}

/** Returns the part of an answer that does not depend on the time of the request. */
function reportedOf(
  kind: PosRequest['kind'],
  body: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const fields: Partial<Record<PosRequest['kind'], readonly string[]>> = {
    charge: ['transaction_state'],
    preauthorize: ['transaction_state'],
    capture: ['state'],
    refund: ['status', 'amount'],
    refunds: ['captured_amount', 'refundable_amount'],
  };
  const reported = (fields[kind] ?? []).flatMap((name) =>
    body[name] === undefined ? [] : [[name, body[name]]],
  );
  return reported.length > 0 ? Object.fromEntries(reported) : undefined;
}

/** Whether two values are equal as JSON; the order of fields does not matter. */
function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!value || typeof value !== 'object') return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([field, inner]) => [field, sorted(inner)]));
}
