import { asRecord } from '../../shared/journal-fields.ts';
import type { KnownIds } from './known-ids.ts';

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
 * The calls of a test bench that leave no other trace in the journal. Acts at a terminal use the control API too, but are
 * journaled at the terminal; the acts of a link's customer are journaled at the credit.
 */
const plain =
  /^\/(refunds\/[^/]+\/(submit|fail)|debits\/[^/]+\/(expire|blocked-refunds|close-refunds)|credits\/[^/]+\/(refuse|expire)|(faults|moments)(\/[^/]+)?|terminals\/[^/]+\/(latency|power-cut))$/;

/** The step that makes the call again; undefined for calls that are recorded in another way, or only provision. */
export function stepOfCall(
  { method, path, body, key }: OperatorCall,
  { ids, terminal }: { ids: KnownIds; terminal: (idOrPoiId: string) => string | undefined },
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
  // The scenario's account is the only one, so it need not be named.
  const { accountId: _own, ...said } = asRecord(body);
  return {
    control: `${method} ${ids.put(path)}`,
    ...(Object.keys(said).length > 0 ? { body: ids.put(said) } : {}),
  };
}

/** A payment from before the recording is named by its identifier, because the scenario has no name for it. */
function giveBackStep(
  body: unknown,
  key: string | undefined,
  ids: KnownIds,
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

/** The outcome of money that was given back over the control API; undefined if the answer did not tell it. */
export function outcomeOfCall(body: unknown): unknown {
  const { kind, result, errorCondition } = asRecord(body);
  if (kind !== 'reversal' && kind !== 'refund') return undefined;
  return result === 'failure' ? errorCondition : (result ?? undefined);
}

/** The step that sets a plan for a moment; undefined if there is no step for it. */
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

/** A webhook of a scenario has an id of the scenario's own, so the step uses its name. */
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
