import { entriesOfPayment } from '../../scenarios/index.ts';
import { readJournal } from '../../stack/index.ts';
import { traceLines } from '../trace-lines.ts';
import type { ToolGatewayManager } from './gateway-in-use.ts';
import { type Arguments, readTextArgument, type Tool, ToolError } from './tool.ts';

const clocks = ['real', 'virtual', 'skipping'] as const;

/** Makes the tools that start and end the gateway, and the tool that reads the gateway's journal as a trace. */
export function makeGatewayTools(gateways: ToolGatewayManager): Tool[] {
  return [startTool(gateways), stopTool(gateways), traceTool(gateways)];
}

function startTool(gateways: ToolGatewayManager): Tool {
  return {
    name: 'start',
    description:
      'Starts a gateway with emulated terminals on this machine, for your point of sale. The gateway ends with "stop", or when this session ends. The API token of the gateway is in the file that the answer names: let your program read the token there, and show the token to nobody.',
    properties: {
      clock: {
        enum: [...clocks],
        description:
          'How the clock moves. "real" (the default): the clock moves with real time. "virtual": only the tool "time" moves the clock. "skipping": the clock also skips ahead by itself while something waits',
      },
      seed: {
        type: 'integer',
        minimum: 0,
        maximum: 2 ** 32 - 1,
        description: 'The seed for identifiers; the same seed gives the same identifiers',
      },
    },
    reads: false,
    keepsFiles: true,
    run: async (args) => {
      const clock = clocks.find((each) => each === args.clock);
      if (args.clock !== undefined && !clock)
        throw new ToolError('there is no such clock', `Use one of these clocks: ${clocks.join(', ')}.`);
      const { stack, file } = await gateways.start({ clock, seed: seedOf(args), pacing: 'instant' });
      const { url, terminals } = stack;
      return {
        says: `A gateway runs at ${url}. The API token of the gateway is in the field "token" of ${file}. A point of sale requests a payment with this token and POST ${url}/terminals/IDENTIFIER/payment-request. The tool "docs" with "page": "recover-a-payment" says how a point of sale makes such a payment.`,
        data: terminals.map(({ poiId, identifier, store }) =>
          JSON.stringify({ terminal: poiId, identifier, store }),
        ),
      };
    },
  };
}

function seedOf({ seed }: Arguments): number | undefined {
  if (seed === undefined || (Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) < 2 ** 32))
    return seed as number | undefined;
  throw new ToolError(
    '"seed" must be a whole number',
    'Call "start" again with a seed from 0 to 4294967295.',
  );
}

function stopTool(gateways: ToolGatewayManager): Tool {
  return {
    name: 'stop',
    description: 'Ends the gateway that "start" made. The data that the gateway kept in memory is lost.',
    properties: {},
    reads: false,
    run: async () => {
      if (await gateways.stop()) return { says: 'The gateway has ended.' };
      throw new ToolError(
        'no gateway that "start" made is running',
        'There is nothing to end; the tool "start" makes a gateway.',
      );
    },
  };
}

function traceTool(gateways: ToolGatewayManager): Tool {
  return {
    name: 'trace',
    description:
      'Shows what happened, with a line for each message, screen, card and decision; the same as "pinpad trace --text" in a shell. Findings of lint name these lines by their numbers.',
    properties: {
      payment: {
        type: 'string',
        description: 'Show only the lines of this payment, with the requests about the payment',
      },
      since: {
        type: 'integer',
        minimum: 0,
        description: 'Show only the lines after the line with this number',
      },
    },
    reads: true,
    run: async (args) => {
      const payment = readTextArgument(args, 'payment');
      const { since = 0 } = args;
      if (!Number.isInteger(since))
        throw new ToolError('"since" must be a whole number', 'Give the number of a line, without its #.');
      const all = await readJournal(await gateways.reached());
      const own = payment === undefined ? all : entriesOfPayment(all, payment);
      if (payment !== undefined && own.length === 0)
        throw new ToolError(
          'the journal has no such payment',
          'Call "sales", or "trace" without "payment", to see which payments there are.',
        );
      const entries = own.filter(({ seq }) => seq > Number(since));
      return { says: `${entries.length} lines.`, data: traceLines(entries) };
    },
  };
}
