import { formatFieldLines } from '../quoted-lines.ts';
import type { ToolAnswer } from './answer.ts';
import type { ToolGatewayManager } from './gateway-in-use.ts';
import { callOperation, makeToolArgumentsSchema, type Operation } from './operations.ts';
import type { Tool } from './tool.ts';

interface Controls {
  readonly description: string;
  readonly reads: boolean;
  /** The operation that the tool calls if the agent names none. */
  readonly usual?: string;
  /** The control API's operations that the tool offers. Each call of the tool calls one of these operations. */
  readonly calls: readonly string[];
}

/** The tools that each call the control API once. */
const controls: Readonly<Record<string, Controls>> = {
  screen: {
    description:
      'Shows the screen of an emulated terminal, and which keys and cards the terminal accepts now. With "until" the tool waits for a screen.',
    reads: true,
    calls: ['getScreen'],
  },
  act: {
    description:
      'Does what a customer or cashier does at a terminal: presents or removes a card, presses keys, lets an automatic shopper make all payments (setShopper), or gives money back.',
    reads: false,
    calls: [
      ...['tapCard', 'insertCard', 'swipeCard', 'removeCard', 'pressKeys', 'keyInCard'],
      ...['setShopper', 'removeShopper', 'refund'],
    ],
  },
  world: {
    description:
      'Lists terminals, cards, outcomes, moments and faults, and makes things go wrong: power, network, outcomes of the host, lost or late answers, crashes at a moment.',
    reads: false,
    calls: [
      ...[
        'getOverview',
        'listTerminals',
        'listCards',
        'getReceipts',
        'getOutcomes',
        'listMoments',
        'listFaults',
      ],
      ...['power', 'network', 'slowNetwork', 'flapNetwork', 'planPowerCut', 'takeBackPowerCut'],
      ...['setTerminalOutcome', 'clearTerminalOutcome', 'setPaymentOutcome', 'clearPaymentOutcome'],
      ...['setFault', 'clearFault', 'clearFaults', 'setMoment', 'clearMoment', 'clearMoments', 'continue'],
      ...['compareBooks', 'getLedger'],
    ],
  },
  time: {
    description:
      'The gateway\'s clock: tells the time, waits, and moves the clock on if it is virtual ("start" with "clock": "virtual").',
    reads: false,
    usual: 'getClock',
    calls: ['getClock', 'wait', 'advanceClock', 'holdClock', 'releaseClock'],
  },
  sales: {
    description:
      'Shows what the point of sale did, with a line for each sale: its requests, its payments, what the shop believes, and its findings. getSale shows one sale.',
    reads: true,
    usual: 'listSales',
    calls: ['listSales', 'getSale'],
  },
  payment: {
    description: 'Explains how a payment ended, and why; the same as "pinpad payment ID" in a shell.',
    reads: true,
    calls: ['explainPayment'],
  },
  journal: {
    description:
      'Shows the entries of the journal in full: requests with headers and bodies, messages, screens. "since" is the number of the last entry that you have; "kind" and "payment" filter the entries.',
    reads: true,
    calls: ['getJournal'],
  },
  lint: {
    description:
      'Lists the mistakes of the point of sale that pinpad has seen so far. For each mistake the tool gives the rule, what was seen, why it matters, what to do, and the numbers of the journal entries that show the mistake.',
    reads: true,
    calls: ['listFindings'],
  },
};

/**
 * How many entries of the journal are read unless the agent asks for another number. An answer has room for only a few.
 */
const usualLimit = 50;

export function makeControlTools(gateways: ToolGatewayManager, all: ReadonlyMap<string, Operation>): Tool[] {
  return Object.entries(controls).map(([name, { description, reads, calls, usual }]) => {
    const operations = calls.map((call) => all.get(call)).filter((each) => each !== undefined);
    return {
      ...{ name, description, reads, ...makeToolArgumentsSchema(operations, usual) },
      run: async (given) => {
        const args = {
          ...(usual && { call: usual }),
          ...(name === 'journal' && { limit: usualLimit }),
          ...given,
        };
        const { operation, answer } = await callOperation(await gateways.control(), operations, args);
        return saidOf(operation, answer);
      },
    };
  });
}

function saidOf({ method, path, name }: Operation, answer: unknown): ToolAnswer {
  const says = `${method} ${path} is done.`;
  if (answer === undefined) return { says };
  if (typeof answer === 'string') return { says, data: answer.trimEnd().split('\n') };
  const lines = formatFieldLines(answer);
  if (name === 'listFindings' && (answer as { findings?: unknown[] }).findings?.length === 0)
    return {
      says: `${says} There are no findings. If the point of sale does not ask for the outcome of a sale, this becomes a finding after a minute. The tool "sales" shows such a sale at once, with "told": "untold".`,
    };
  return { says, data: lines };
}

/** Returns advice about what the agent should do after the gateway refused a call. */
export function adviceAfterRefusal(status: number, code: string | undefined, call: string): string {
  if (status === 404)
    return 'Look up the right name: call "world" with "call": "listTerminals" or "listCards", or call "sales" or "journal".';
  if (status === 409 && call.includes('/control/clock/'))
    return 'The clock is chosen when the gateway starts: call "stop", then call "start" with "clock": "virtual" or "skipping".';
  if (status === 409)
    return 'Look at the state first: call "screen" for a terminal, or "payment" for a payment. Then make a call that fits the state.';
  if (status === 400 || status === 422)
    return 'Correct the mistake that the message names. The schema of the tool says what is accepted, and the tool "docs" with "page": "control-api" has examples.';
  if (status === 401 || status === 403)
    return 'Tell the user: the gateway does not accept the control token with which pinpad mcp was started.';
  return `The tool "docs" with "query": ${JSON.stringify(code ?? 'errors')} says more.`;
}
