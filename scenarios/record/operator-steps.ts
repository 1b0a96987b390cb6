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

/** The names that the scenario uses for payments, debits and terminals. */
interface OperatorNames {
  readonly ids: IdPlaceholders;
  terminal(idOrPoiId: string): string | undefined;
}

type Step = Record<string, unknown>;

/**
 * Returns the step that makes the call again. Undefined if the call is recorded in another way, or if it only sets up
 * accounts and terminals.
 */
export function stepOfCall(call: OperatorCall, names: OperatorNames): Step | undefined {
  return readableStep(call, names) ?? controlStep(call, names.ids);
}

/** Returns a step that says in the words of a scenario what the call does. Undefined if there is no such step. */
function readableStep({ method, path, body, key }: OperatorCall, names: OperatorNames): Step | undefined {
  const [, family, id = '', action] = path.split('/');
  switch (family) {
    case 'terminals': {
      const at = terminalField(names.terminal(id));
      if (action === 'outcome') return outcomeStep(method, body, at);
      return action === 'refund' ? giveBackStep(body, key, names.ids, at) : undefined;
    }
    case 'payments': {
      const of = names.ids.nameOf(id);
      return action === 'outcome' && of !== undefined ? outcomeStep(method, body, { of }) : undefined;
    }
    case 'moments':
      return method === 'PUT' ? momentStep(id, asRecord(body), names.terminal) : undefined;
    case 'cards':
      return action === 'reset' ? { 'reset card': id } : undefined;
    case 'accounts':
      return method === 'PATCH' ? { account: body } : undefined;
    case 'faults':
      return path === '/faults' ? eventFaultStep(asRecord(body)) : undefined;
    default:
      return undefined;
  }
}

/**
 * The calls of a test bench that cause no journal entries besides the entries about the call itself. All other calls
 * also cause entries about their effects. For example, an action at a terminal causes an entry about the terminal, and
 * an action of a link's customer causes an entry about the credit.
 */
const callsWithoutEffectInJournal = [
  /^\/refunds\/[^/]+\/(submit|fail)$/,
  /^\/debits\/[^/]+\/(expire|blocked-refunds|close-refunds)$/,
  /^\/credits\/[^/]+\/(refuse|expire)$/,
  /^\/faults(\/[^/]+)?$/,
  /^\/moments(\/[^/]+)?$/,
  /^\/terminals\/[^/]+\/(latency|power-cut)$/,
];

/** Returns the step that repeats the call unchanged. */
function controlStep({ method, path, body }: OperatorCall, ids: IdPlaceholders): Step | undefined {
  if (!callsWithoutEffectInJournal.some((pattern) => pattern.test(path))) return undefined;
  // The scenario has only one account, so the step does not need to name the account.
  const { accountId: _own, ...fields } = asRecord(body);
  return {
    control: `${method} ${ids.put(path)}`,
    ...(Object.keys(fields).length > 0 ? { body: ids.put(fields) } : {}),
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
  at: Step,
): Step | undefined {
  const { payment, amount, currency, customerLanguage: language } = asRecord(body);
  const of = typeof payment === 'string' ? ids.nameOf(payment.toLowerCase()) : undefined;
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
export function readGiveBackOutcome(body: unknown): unknown {
  const { kind, result, errorCondition } = asRecord(body);
  if (kind !== 'reversal' && kind !== 'refund') return undefined;
  return result === 'failure' ? errorCondition : (result ?? undefined);
}

/** Returns the step that sets a plan for a moment. Undefined if no step can set such a plan. */
function momentStep(
  moment: string,
  { action, backMs, after, times, terminal: at }: Record<string, unknown>,
  terminal: OperatorNames['terminal'],
): Step | undefined {
  const passed = typeof after === 'number' && after > 0 ? { after } : {};
  if (action === 'crash' && (times ?? 1) === 1) return { 'crash gateway': moment, ...passed };
  const cut = { powerOff: { power: 'off' }, networkOff: { network: 'down' } }[String(action)];
  if (!cut || typeof at !== 'string' || (times !== undefined && times !== null && times !== 1))
    return undefined;
  return {
    ...cut,
    ...terminalField(terminal(at)),
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

function terminalField(terminal: string | undefined): Step {
  return terminal === undefined ? {} : { terminal };
}

function outcomeStep(method: string, body: unknown, of: Step): Step {
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
