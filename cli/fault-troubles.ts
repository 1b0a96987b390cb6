import type { FaultInput } from '../client/openapi-types.ts';
import { faultText } from '../shared/fault-words.ts';
import { controlOf, type Stack, type StackTerminal } from '../stack/index.ts';
import type { TroubleMode } from '../terminal-emulator/index.ts';

type Unaimed<Kind> = Kind extends unknown
  ? Omit<Kind, 'method' | 'path' | 'endpointId' | 'accountId' | 'after' | 'times'>
  : never;
/** A fault of requests for payments on a terminal, or of events of its account. */
export type FaultToSet = Unaimed<FaultInput>;

const lateMs = 45_000;
const proxyMs = 60_000;

const request = 'The request of your POS';
const answer = 'The answer to your POS; the payment is made';
const event = 'Events for your webhooks';

/** The faults that the screen offers, each as the control API takes it. */
export const faultTroubles: readonly {
  group: string;
  id: string;
  text: string;
  cause: { fault: FaultToSet };
}[] = [
  offered(request, 'requestLost', 'is lost: there is no payment', { fault: 'dropRequest' }),
  offered(request, 'requestLate', `comes ${seconds(lateMs)} late, its connection cut at once`, {
    fault: 'delayRequest',
    delayMs: lateMs,
  }),
  offered(request, 'requestTwice', 'comes twice, and the first is answered', {
    fault: 'duplicateRequest',
    answered: 'first',
  }),
  offered(request, 'requestTwiceCopy', 'comes twice, and the copy is answered', {
    fault: 'duplicateRequest',
    answered: 'copy',
  }),
  offered(request, 'request503', 'is refused with a 503: there is no payment', {
    fault: 'failRequest',
    status: 503,
  }),
  offered(request, 'request429', 'is refused with a 429: there is no payment', {
    fault: 'failRequest',
    status: 429,
  }),
  offered(answer, 'answerLost', 'is lost', { fault: 'dropAnswer' }),
  offered(answer, 'answerLate', `comes ${seconds(lateMs)} late`, { fault: 'delayAnswer', delayMs: lateMs }),
  offered(answer, 'answer503', 'is a 503', { fault: 'failAnswer', status: 503 }),
  offered(answer, 'answerCut', 'breaks off after 20 bytes', { fault: 'truncateAnswer', bytes: 20 }),
  offered(answer, 'answerSlow', 'comes with 100 bytes a second', {
    fault: 'slowAnswer',
    bytesPerSecond: 100,
  }),
  offered(answer, 'proxyCuts', `is cut off by a proxy after ${seconds(proxyMs)}`, {
    fault: 'cutAnswer',
    afterMs: proxyMs,
  }),
  offered(answer, 'answerHeld', 'is held until your POS hangs up', { fault: 'holdAnswer' }),
  offered(event, 'eventTwice', 'the next comes twice', { fault: 'duplicateEvent' }),
  offered(event, 'eventsSwapped', 'the next comes behind the one after it', { fault: 'reorderEvents' }),
  offered(event, 'eventLate', `the next comes ${seconds(lateMs)} late`, {
    fault: 'delayEvent',
    delayMs: lateMs,
  }),
  offered(event, 'eventLost', 'the next is lost, and sent again', { fault: 'loseEvent' }),
  offered(event, 'eventForged', 'a forged one follows the next', { fault: 'forgeEvent' }),
];

function offered(group: string, id: string, text: string, fault: FaultToSet) {
  return { group, id, text, cause: { fault } };
}

/** A fault that is set for a terminal or for everything. */
interface SetFault {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
  /** The fault as the screen sets it; undefined if it is aimed differently. */
  readonly fault: FaultToSet | undefined;
}

/** The faults that payments on a terminal, or events of its account, may meet. */
export function faultsFor(stack: Stack, terminal: StackTerminal): SetFault[] {
  return stack.gateway.faults.list().flatMap((set): SetFault[] => {
    const { id, path, accountId, times, after, method: _, endpointId, ...fault } = set;
    const isOthers = accountId !== undefined && accountId !== terminal.account;
    const isElsewhere = stack.terminals.some((each) => each !== terminal && pathOf(each) === path);
    if (isOthers || isElsewhere) return [];
    const aim = isOfEvents(set) ? accountId === terminal.account && !endpointId : path === pathOf(terminal);
    return [
      {
        id,
        text: [faultText(set.fault), path ?? endpointId ?? '', after > 0 ? `after ${after}` : '']
          .filter(Boolean)
          .join(' '),
        mode: times === null ? 'always' : 'once',
        fault: aim && after === 0 ? (fault as FaultToSet) : undefined,
      },
    ];
  });
}

/** Sets a fault for a terminal, replacing those of its kind there. Without a mode, it only removes them. */
export async function putFault(
  stack: Stack,
  terminal: StackTerminal,
  fault: FaultToSet,
  mode: TroubleMode | undefined,
  after = 0,
): Promise<void> {
  const control = controlOf(stack);
  for (const each of faultsFor(stack, terminal))
    if (each.fault?.fault === fault.fault)
      await control.DELETE('/control/faults/{faultId}', { params: { path: { faultId: each.id } } });
  if (mode === undefined) return;
  const aim = isOfEvents(fault)
    ? { accountId: terminal.account }
    : { method: 'POST' as const, path: pathOf(terminal) };
  const body = { ...fault, ...aim, after, times: mode === 'once' ? 1 : null } as FaultInput;
  await control.POST('/control/faults', { body });
}

function isOfEvents({ fault }: { readonly fault: string }): boolean {
  return /Events?$/.test(fault);
}

function pathOf({ identifier }: { identifier: string }): string {
  return `/terminals/${identifier}/payment-request`;
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}
