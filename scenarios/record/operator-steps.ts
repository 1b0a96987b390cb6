import { asRecord } from '../../shared/journal-fields.ts';
import type { KnownIds } from './known-ids.ts';

/** A call of the control API that succeeded. */
interface OperatorCall {
  readonly method: string;
  /** Without /control. */
  readonly path: string;
  readonly body: unknown;
  /** Its Idempotency-Key, where it had one. */
  readonly key?: string;
}

/**
 * What a test bench does that leaves no other trace in the journal. Hands act through the control API too, but are seen
 * at the terminal; the customer of a link is seen at the credit.
 */
const plain =
  /^\/(refunds\/[^/]+\/(submit|fail)|debits\/[^/]+\/(expire|blocked-refunds|close-refunds)|credits\/[^/]+\/(refuse|expire)|(faults|moments)(\/[^/]+)?|terminals\/[^/]+\/(latency|power-cut))$/;

/** The step that does it again; undefined for calls that are seen otherwise, or only provision. */
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
  // A scenario's own account is the only one it speaks of.
  const { accountId: _own, ...said } = asRecord(body);
  return {
    control: `${method} ${ids.put(path)}`,
    ...(Object.keys(said).length > 0 ? { body: ids.put(said) } : {}),
  };
}

/** A payment that was made before the recording is named by its identifier, which the scenario has no word for. */
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

/** How money that was given back over the control API ended; undefined where the answer did not say. */
export function outcomeOfCall(body: unknown): unknown {
  const { kind, result, errorCondition } = asRecord(body);
  if (kind !== 'reversal' && kind !== 'refund') return undefined;
  return result === 'failure' ? errorCondition : (result ?? undefined);
}

/** What is set for a moment, as a step has it; undefined where no step of its own has it. */
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

/** A webhook of a scenario has an id of the scenario's own, so it is told by its name. */
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
