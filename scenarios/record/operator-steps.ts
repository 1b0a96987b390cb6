import { asRecord } from '../../shared/journal-fields.ts';
import type { IdPlaceholders } from './known-ids.ts';

/** A call of the control API that succeeded. */
interface OperatorCall {
  readonly method: string;
  /** The path without /control. */
  readonly path: string;
  readonly body: unknown;
  /** The Idempotency-Key, if the call had one. */
  readonly key?: string;
}

/**
 * The calls of a test bench that cause no journal entries besides the entries about the call itself. All other calls
 * also cause entries about their effects. For example, an action at a terminal causes an entry about the terminal, and
 * an action of a link's customer causes an entry about the credit.
 */
const plain =
  /^\/(refunds\/[^/]+\/(submit|fail)|debits\/[^/]+\/(expire|blocked-refunds|close-refunds)|credits\/[^/]+\/(refuse|expire)|(faults|moments)(\/[^/]+)?|terminals\/[^/]+\/(latency|power-cut))$/;

/**
 * Returns the step that makes the call again. Undefined if the call is recorded in another way, or if it only sets up
 * accounts and terminals.
 */
export function stepOfCall(
  { method, path, body, key }: OperatorCall,
  { ids, terminal }: { ids: IdPlaceholders; terminal: (idOrPoiId: string) => string | undefined },
): Record<string, unknown> | undefined {
  const [, family, id = '', action] = path.split('/');
  if (family === 'terminals' && action === 'outcome') return outcomeStep(method, body, named(terminal(id)));
  if (family === 'payments' && action === 'outcome') {
    const of = ids.put(id);
    return of === id ? undefined : outcomeStep(method, body, { of: of.slice(1, -'.id>'.length) });
  }
  if (family === 'terminals' && action === 'refund') return giveBackStep(body, key, ids, named(terminal(id)));
  if (family === 'moments' && method === 'PUT') {
    const step = momentStep(id, asRecord(body), terminal);
    if (step) return step;
  }
  if (family === 'cards' && action === 'reset') return { 'reset card': id };
  if (family === 'accounts' && method === 'PATCH') return { account: body };
  if (!plain.test(path)) return undefined;
  const faultStep = path === '/faults' ? eventFaultStep(asRecord(body)) : undefined;
  if (faultStep) return faultStep;
  // The scenario has only one account, so the step does not need to name the account.
  const { accountId: _own, ...said } = asRecord(body);
  return {
    control: `${method} ${ids.put(path)}`,
    ...(Object.keys(said).length > 0 ? { body: ids.put(said) } : {}),
  };
}

/**
 * Returns the step that gives money back at a terminal. Undefined if the payment was made before the recording,
 * because the scenario then has no name for the payment.
 */
function giveBackStep(
  body: unknown,
  key: string | undefined,
  ids: IdPlaceholders,
  at: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const { payment, amount, currency, customerLanguage: language } = asRecord(body);
  const of =
    typeof payment === 'string' ? /^<(.+)\.id>$/.exec(ids.put(payment.toLowerCase()))?.[1] : undefined;
  if (payment !== undefined && of === undefined) return undefined;
  return {
    'refund at the terminal': amount ?? 'all',
    ...(of !== undefined && { of }),
    ...(currency !== undefined && { currency }),
    ...(language !== undefined && { language }),
    ...(key !== undefined && { key }),
    ...at,
  };
}

/**
 * Returns the outcome of a call over the control API that gives money back. Undefined if the answer has no outcome.
 */
export function outcomeOfCall(body: unknown): unknown {
  const { kind, result, errorCondition } = asRecord(body);
  if (kind !== 'reversal' && kind !== 'refund') return undefined;
  return result === 'failure' ? errorCondition : (result ?? undefined);
}

/** Returns the step that sets a plan for a moment. Undefined if no step can set such a plan. */
function momentStep(
  moment: string,
  { action, backMs, after, times, terminal: at }: Record<string, unknown>,
  terminal: (idOrPoiId: string) => string | undefined,
): Record<string, unknown> | undefined {
  const passed = typeof after === 'number' && after > 0 ? { after } : {};
  if (action === 'crash' && (times ?? 1) === 1) return { 'crash gateway': moment, ...passed };
  const cut = { powerOff: { power: 'off' }, networkOff: { network: 'down' } }[String(action)];
  if (!cut || typeof at !== 'string' || (times !== undefined && times !== null && times !== 1))
    return undefined;
  return {
    ...cut,
    ...named(terminal(at)),
    at: moment,
    ...(typeof backMs === 'number' ? { back: `${backMs} ms` } : {}),
    ...passed,
    ...(times === null ? { always: true } : {}),
  };
}

/**
 * Returns the step that sets a fault of an event. The step names the webhook, because the webhook's id is different in
 * the scenario.
 */
function eventFaultStep({ fault, delayMs, endpointId, after, times }: Record<string, unknown>) {
  const name = eventFaults[String(fault)];
  if (name === undefined) return undefined;
  return {
    [name]: delayMs === undefined ? true : `${delayMs} ms`,
    ...(endpointId === undefined ? {} : { webhook: endpointId }),
    ...(after === undefined || after === 0 ? {} : { after }),
    ...(times === undefined || times === 1 ? {} : { times: times ?? 'always' }),
  };
}

const eventFaults: Readonly<Record<string, string>> = {
  duplicateEvent: 'duplicate event',
  reorderEvents: 'reorder events',
  delayEvent: 'delay event',
  loseEvent: 'lose event',
  forgeEvent: 'forge event',
};

function named(terminal: string | undefined): Record<string, unknown> {
  return terminal === undefined ? {} : { terminal };
}

function outcomeStep(method: string, body: unknown, of: Record<string, unknown>): Record<string, unknown> {
  const { outcome, mode } = asRecord(body);
  return {
    host: method === 'DELETE' ? 'as usual' : behaviourOf(asRecord(outcome)),
    ...(mode === 'always' ? { always: true } : {}),
    ...of,
  };
}

function behaviourOf({ type, delayMs, ...rest }: Record<string, unknown>): unknown {
  if (type === 'late') return { late: `${delayMs} ms` };
  if (type === 'decline') return Object.keys(rest).length > 0 ? { declines: rest } : 'declines';
  const behaviours: Record<string, string> = {
    approve: 'approves',
    silent: 'silent',
    wrongPin: 'finds every PIN wrong',
  };
  return behaviours[String(type)] ?? 'as usual';
}
