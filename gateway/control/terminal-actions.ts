import { z } from 'zod';
import {
  type EmulatorCommand,
  longestLatencyMs,
  networkFlappingSchema,
  printedReceiptSchema,
  shopperSettingSchema,
  type TerminalAction,
} from '../../shared/emulator/frames.ts';
import { type Screen, screenSchema, terminalKeySchema } from '../../shared/emulator/screen.ts';
import {
  type AnyEndpoint,
  type CheckedRequest,
  describeResponse,
  makeEndpointDefiner,
} from '../http/endpoint.ts';
import { parkCallDuring } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { exampleIds, exampleScreen } from './examples.ts';
import { requireTerminal, terminalParamsSchema } from './terminal-params.ts';

type AnyCall = Pick<CheckedRequest<{ terminalId: string }, unknown, unknown, unknown>, 'params' | 'park'>;

const endpoint = makeEndpointDefiner({ tag: 'Control: terminals', guard: 'control' });
const afterwards = z
  .object({ terminal: z.string(), screen: screenSchema })
  .meta({ id: 'TerminalAfterwards', description: "The terminal's screen after the action" });

const cardBody = z.object({
  card: z.string().meta({ description: 'The id of a card of the tray (GET /control/cards)' }),
});
const pressBody = z
  .union([
    z.object({ key: terminalKeySchema }),
    z.object({ keys: z.array(terminalKeySchema).min(1).max(64) }),
  ])
  .meta({
    id: 'KeyPresses',
    description: 'One key, or a list of keys in the order in which they are pressed',
  });
const keyInBody = z
  .union([
    z.object({
      number: z.string().regex(/^\d{12,19}$/, 'must be 12 to 19 digits'),
      expiry: z.string().regex(/^(0[1-9]|1[0-2])\d{2}$/, 'must be MMYY'),
    }),
    cardBody,
  ])
  .meta({
    id: 'KeyIn',
    description:
      'The number and expiry of a card, or the id of a card of the tray. No log and no journal contains the number',
  });
const latencyBody = z.object({ latencyMs: z.int().min(0).max(longestLatencyMs) });
const receiptsQuery = z.object({ format: z.enum(['json', 'text']).default('json') });

type Parts = Pick<Services, 'terminals' | 'emulators'>;

/**
 * Makes the endpoints for what a person does at a terminal (cards, keys), and the endpoints for faults (power,
 * network).
 */
export function terminalActionEndpoints(parts: Parts): AnyEndpoint[] {
  const act = actionEndpointMaker(parts);
  return [
    ...cardAndKeyEndpoints(act),
    ...powerAndNetworkEndpoints(act),
    ...shopperEndpoints(parts),
    receiptsEndpoint(parts),
  ];
}

interface Action<Body> {
  name: string;
  operationId: string;
  summary: string;
  description?: string;
  body?: Body;
  bodyExamples?: Record<string, unknown>;
  secret?: boolean;
  action(body: Body extends z.ZodType ? z.output<Body> : undefined): EmulatorCommand['command'];
}

/** Makes the endpoint of an action. */
type MakeActionEndpoint = <Body extends z.ZodType | undefined = undefined>(
  action: Action<Body>,
) => AnyEndpoint;

function actionEndpointMaker(parts: Parts): MakeActionEndpoint {
  return ({ name, operationId, summary, description, body, bodyExamples, secret, action }) =>
    endpoint({
      route: `POST /control/terminals/{terminalId}/${name}`,
      operationId,
      summary,
      description,
      params: terminalParamsSchema,
      body,
      bodyExamples,
      ...(secret && { journaled: 'withoutBodies' as const }),
      responses: { 200: screenAfterActionResponse },
      errors: terminalActionErrors,
      gives: (call) => commandTerminal(parts, call, action(call.body as never)),
    });
}

/** Makes the endpoints of cards and keys. */
function cardAndKeyEndpoints(act: MakeActionEndpoint): AnyEndpoint[] {
  return [
    ...(['insert', 'tap', 'swipe'] as const).map((action) =>
      act({
        name: action,
        operationId: `control${action[0]?.toUpperCase()}${action.slice(1)}Card`,
        summary: `${action[0]?.toUpperCase()}${action.slice(1)} a card`,
        body: cardBody,
        bodyExamples: { visa: { card: 'visa-credit' } },
        action: ({ card }) => ({ do: 'act', action: { action, card } }),
      }),
    ),
    act({
      name: 'remove',
      operationId: 'controlRemoveCard',
      summary: 'Remove the card from the slot',
      action: () => ({ do: 'act', action: { action: 'remove' } }),
    }),
    act({
      name: 'press',
      operationId: 'controlPressKeys',
      summary: 'Press keys',
      description:
        'The screen shows a digit beside each choice. The keys are stored nowhere, because they may be a PIN.',
      body: pressBody,
      bodyExamples: { enter: { key: 'enter' }, pin: { keys: ['1', '2', '3', '4', 'enter'] } },
      secret: true,
      action: (body) => ({
        do: 'act',
        action: { action: 'press', keys: 'keys' in body ? body.keys : [body.key] },
      }),
    }),
    act({
      name: 'key-in',
      operationId: 'controlKeyInCard',
      summary: "Type a card's number and expiry",
      description:
        'Types the number and presses enter, then types the expiry and presses enter. The number is not stored.',
      body: keyInBody,
      bodyExamples: {
        visa: { number: '4111111111111111', expiry: '1230' },
        ofTheTray: { card: 'visa-credit' },
      },
      secret: true,
      action: (body) => ({
        do: 'act',
        action: 'card' in body ? { action: 'keyIn', ...body } : keyPressesFor(body),
      }),
    }),
  ];
}

function powerAndNetworkEndpoints(act: MakeActionEndpoint): AnyEndpoint[] {
  return [
    act({
      name: 'power',
      operationId: 'controlPower',
      summary: 'Switch the terminal on or cut its power',
      description:
        'Off works like a power cut: the terminal stops in the middle of its work. Everything that the terminal must not forget is stored, and is still there when the power is back.',
      body: z.object({ on: z.boolean() }),
      bodyExamples: { cut: { on: false } },
      action: ({ on }) => ({ do: 'act', action: { action: 'power', on } }),
    }),
    act({
      name: 'network',
      operationId: 'controlNetwork',
      summary: "Pull the terminal's network cable or plug it in",
      description:
        'The gateway is not told that the network is cut, and has to notice this by itself. This API still reaches the terminal.',
      body: z.object({ up: z.boolean() }),
      bodyExamples: { cut: { up: false } },
      action: ({ up }) => ({ do: 'act', action: { action: 'network', up } }),
    }),
    act({
      name: 'latency',
      operationId: 'controlSlowNetwork',
      summary: "Make the terminal's network slow, or fast again",
      description:
        'From now on every message takes `latencyMs` milliseconds in each direction; 0 is as fast as possible. If the acknowledgement of a message takes more than 10 s in all, the link breaks.',
      body: latencyBody,
      bodyExamples: { slow: { latencyMs: 2000 }, fast: { latencyMs: 0 } },
      action: ({ latencyMs }) => ({ do: 'act', action: { action: 'slow', latencyMs } }),
    }),
    act({
      name: 'flap',
      operationId: 'controlFlapNetwork',
      summary: "Make the terminal's network unreliable",
      description:
        'The network goes down at once for `downMs` and then comes up for `upMs`. `times` says how often this happens. Pulling the cable or plugging it in ends these outages.',
      body: networkFlappingSchema,
      bodyExamples: { threeTimes: { times: 3, downMs: 2000, upMs: 5000 } },
      action: (pattern) => ({ do: 'act', action: { action: 'flap', ...pattern } }),
    }),
  ];
}

function shopperEndpoints(parts: Parts): AnyEndpoint[] {
  return [
    endpoint({
      route: 'PUT /control/terminals/{terminalId}/shopper',
      operationId: 'controlSetShopper',
      summary: 'Let an automatic shopper pay every payment, or let the shopper go away',
      description:
        'With `leaves`, the terminal gets no input from then on. With `--clock skipping`, time then also advances while this terminal waits for input.',
      params: terminalParamsSchema,
      body: shopperSettingSchema,
      bodyExamples: { tapper: { card: 'visa-credit', entry: 'Contactless' }, gone: { leaves: true } },
      journaled: 'withoutBodies',
      responses: { 200: screenAfterActionResponse },
      errors: terminalActionErrors,
      gives: (call) => commandTerminal(parts, call, { do: 'shopper', shopper: call.body }),
    }),
    endpoint({
      route: 'DELETE /control/terminals/{terminalId}/shopper',
      operationId: 'controlRemoveShopper',
      summary: 'Remove the automatic shopper',
      params: terminalParamsSchema,
      responses: { 200: screenAfterActionResponse },
      errors: terminalActionErrors,
      gives: (call) => commandTerminal(parts, call, { do: 'shopper', shopper: null }),
    }),
  ];
}

/** Sends a command to an emulator. The answer is the screen that the terminal shows after the command. */
export async function commandTerminal(parts: Parts, call: AnyCall, command: EmulatorCommand['command']) {
  const { poiId } = requireTerminal(parts.terminals, call.params.terminalId);
  await parkCallDuring(call, () => parts.emulators.command(poiId, command));
  return { terminal: poiId, screen: await parts.emulators.screenOf(poiId, call) };
}

/** Gives the keys that a person presses to type a card's number and expiry date. */
function keyPressesFor({ number, expiry }: { number: string; expiry: string }): TerminalAction {
  const keys = [...number, 'enter', ...expiry, 'enter'];
  return { action: 'press', keys: keys.map((pressed) => terminalKeySchema.parse(pressed)) };
}

export const terminalActionErrors = [
  'terminalNotFound',
  'notFound',
  'conflict',
  'terminalUnreachable',
] as const;
export const screenAfterActionResponse = describeResponse(
  'The action was done; the screen is the latest screen that the gateway received',
  afterwards,
  {
    presentCard: { terminal: exampleIds.poiId, screen: exampleScreen satisfies Screen },
  },
);

function receiptsEndpoint(parts: Parts): AnyEndpoint {
  const example = {
    copy: 'customerReceipt',
    transactionId: exampleIds.payment,
    lines: [{ text: 'Demo Shop', bold: true }],
  };
  return endpoint({
    route: 'GET /control/terminals/{terminalId}/receipts',
    operationId: 'controlGetReceipts',
    summary: 'List the printed receipts',
    description: 'The latest receipt comes last. `format=text` returns the receipts as they look on paper.',
    params: terminalParamsSchema,
    query: receiptsQuery,
    responses: {
      200: {
        description: 'Receipts',
        schema: z.array(printedReceiptSchema),
        examples: { one: [example] },
        alsoAs: { 'text/plain': 'Demo Shop\n' },
      },
    },
    errors: ['terminalNotFound', 'conflict', 'terminalUnreachable'],
    handle: async (call) => {
      const { poiId } = requireTerminal(parts.terminals, call.params.terminalId);
      const { receipts = [] } = await parkCallDuring(call, () =>
        parts.emulators.command(poiId, { do: 'receipts' }),
      );
      if (call.query.format === 'json') return { status: 200, body: receipts };
      const text = receipts.map(({ lines }) => `${lines.map((line) => line.text).join('\n')}\n`).join('\n');
      return { status: 200, text, headers: { 'Content-Type': 'text/plain; charset=utf-8' } };
    },
  });
}
