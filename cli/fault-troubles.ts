import type { FaultInput } from '../client/openapi-types.ts';
import { faultText } from '../shared/fault-words.ts';
import { controlClientOf, type Stack, type StackTerminal } from '../stack/index.ts';
import type { TroubleMode } from '../terminal-emulator/index.ts';

type Unaimed<Kind> = Kind extends unknown
  ? Omit<Kind, 'method' | 'path' | 'endpointId' | 'accountId' | 'after' | 'times'>
  : never;
/** A fault that affects payment requests to a terminal, or events of the terminal's account. */
export type UntargetedFault = Unaimed<FaultInput>;

const lateMs = 45_000;
const proxyMs = 60_000;

/** The faults that the screen offers, each in the form that the control API accepts. */
export const offeredFaults: readonly { group: string; id: string; text: string; fault: UntargetedFault }[] = [
  ...rows('The request of your POS', [
    ['requestLost', 'is lost: there is no payment', { fault: 'dropRequest' }],
    ['requestLate', `comes ${seconds(lateMs)} late, and its connection breaks at once`, late('delayRequest')],
    ['requestTwice', 'comes twice; only the first one gets an answer', twice('first')],
    ['requestTwiceCopy', 'comes twice; only the copy gets an answer', twice('copy')],
    ['request503', 'is refused with a 503: there is no payment', { fault: 'failRequest', status: 503 }],
    ['request429', 'is refused with a 429: there is no payment', { fault: 'failRequest', status: 429 }],
  ]),
  ...rows('The answer to your POS, after the payment was made', [
    ['answerLost', 'is lost', { fault: 'dropAnswer' }],
    ['answerLate', `comes ${seconds(lateMs)} late`, late('delayAnswer')],
    ['answer503', 'is a 503', { fault: 'failAnswer', status: 503 }],
    ['answerCut', 'breaks off after 20 bytes', { fault: 'truncateAnswer', bytes: 20 }],
    ['answerSlow', 'comes slowly, with 100 bytes a second', { fault: 'slowAnswer', bytesPerSecond: 100 }],
    [
      'proxyCuts',
      `is cut off by a proxy after ${seconds(proxyMs)}`,
      { fault: 'cutAnswer', afterMs: proxyMs },
    ],
    ['answerHeld', 'is held until your POS hangs up', { fault: 'holdAnswer' }],
  ]),
  ...rows('Events for your webhooks', [
    ['eventTwice', 'the next event comes twice', { fault: 'duplicateEvent' }],
    ['eventsSwapped', 'the next two events come in the wrong order', { fault: 'reorderEvents' }],
    ['eventLate', `the next event comes ${seconds(lateMs)} late`, late('delayEvent')],
    ['eventLost', 'the next event is lost, and sent again', { fault: 'loseEvent' }],
    ['eventForged', 'a forged event follows the next event', { fault: 'forgeEvent' }],
  ]),
];

function rows(
  group: string,
  faults: readonly (readonly [id: string, text: string, fault: UntargetedFault])[],
) {
  return faults.map(([id, text, fault]) => ({ group, id, text, fault }));
}

function late(fault: 'delayRequest' | 'delayAnswer' | 'delayEvent'): UntargetedFault {
  return { fault, delayMs: lateMs };
}

function twice(answered: 'first' | 'copy'): UntargetedFault {
  return { fault: 'duplicateRequest', answered };
}

/** A fault that is set now. It affects payments on a terminal, or events of the terminal's account. */
interface SetFault {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
  /**
   * The fault in the form in which the screen sets it. Undefined if the screen cannot set such a fault: the fault is
   * not set for exactly this terminal or its account, or some requests pass before the fault happens.
   */
  readonly fault: UntargetedFault | undefined;
}

/** Returns the faults that may affect payments on a terminal, or events of the terminal's account. */
export function findActiveFaults(stack: Stack, terminal: StackTerminal): SetFault[] {
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
        fault: aim && after === 0 ? (fault as UntargetedFault) : undefined,
      },
    ];
  });
}

/**
 * Sets a fault for a terminal and replaces the terminal's faults of the same kind. Without a mode, only removes those
 * faults.
 */
export async function setOrRemoveTerminalFault(
  stack: Stack,
  terminal: StackTerminal,
  fault: UntargetedFault,
  mode: TroubleMode | undefined,
  after = 0,
): Promise<void> {
  const control = controlClientOf(stack);
  for (const each of findActiveFaults(stack, terminal))
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
