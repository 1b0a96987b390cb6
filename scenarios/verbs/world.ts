import { z } from 'zod';
import { errorConditionSchema } from '../../shared/nexo/enums.ts';
import { ScenarioError } from '../environment/scenario-context.ts';
import {
  durationSchema,
  earlierRequestNameSchema,
  gatewayMomentSchema,
  loneVerbValueSchema,
  parseDurationMs,
  terminalMomentSchema,
  terminalNameSchema,
} from '../format/values.ts';
import { defineVerb } from './verb.ts';

/** The fields that say at which moment a cut happens, how long it lasts, and how often it happens. */
const atMoment = {
  at: terminalMomentSchema.optional(),
  back: durationSchema
    .optional()
    .meta({ description: 'How long the cut of power or network lasts; only with `at`' }),
  after: z.int().min(0).optional().meta({
    description: 'The number of payments that pass the moment before the action happens',
  }),
  always: z
    .boolean()
    .optional()
    .meta({ description: 'With `at`: the action happens at every payment, not only at the next' }),
};

function planOf({ back, after, always }: { back?: string; after?: number; always?: boolean }) {
  return {
    ...(back === undefined ? {} : { backMs: parseDurationMs(back) }),
    ...(after === undefined ? {} : { after }),
    ...(always ? { times: null } : {}),
  };
}

function mustBe(isSo: boolean, step: string): void {
  if (!isSo)
    throw new ScenarioError(
      `\`at\` is possible only with \`${step}\`; \`back\` says when the power or network comes back`,
    );
}

const power = defineVerb(
  'power',
  'A terminal loses its power, now or at a moment of a payment, or gets power again',
  { power: z.enum(['on', 'off']), terminal: terminalNameSchema, ...atMoment },
  ({ world }, { power: to, terminal: name, at, ...counts }) => {
    if (at === undefined) return world.power(to === 'on', name);
    mustBe(to === 'off', 'power: off');
    return world.at(at, { action: 'powerOff', ...planOf(counts) }, name);
  },
);

const network = defineVerb(
  'network',
  "A terminal's network cable is pulled or plugged in, or its network becomes slow, fast or unreliable",
  {
    network: z.union([
      z.enum(['up', 'down', 'fast']),
      z.strictObject({
        slow: durationSchema.meta({ description: 'The delay of every message, in each direction' }),
      }),
      z.strictObject({
        flaps: z.int().min(1).max(100).meta({ description: 'How many times the network goes down' }),
        down: durationSchema.optional().meta({ description: 'The duration of each outage; 2 s by default' }),
        up: durationSchema.optional().meta({ description: 'The time between two outages; 5 s by default' }),
      }),
    ]),
    terminal: terminalNameSchema,
    ...atMoment,
  },
  ({ world }, { network: to, terminal: name, at, ...counts }) => {
    if (at !== undefined) {
      mustBe(to === 'down', 'network: down');
      return world.at(at, { action: 'networkOff', ...planOf(counts) }, name);
    }
    if (to === 'up' || to === 'down') return world.network(to === 'up', name);
    if (to === 'fast') return world.slowNetwork(0, name);
    if ('slow' in to) return world.slowNetwork(parseDurationMs(to.slow), name);
    const { flaps: times, down, up } = to;
    const ms = (time: string | undefined) => (time === undefined ? undefined : parseDurationMs(time));
    return world.flapNetwork({ times, downMs: ms(down), upMs: ms(up) }, name);
  },
);

const decline = z.strictObject({
  errorCondition: errorConditionSchema
    .optional()
    .meta({ description: 'The name of the error condition in nexo; Refusal by default' }),
  refusalReason: z.string().optional(),
  message: z.string().optional(),
});

const host = defineVerb(
  'host',
  "What the acquirer's host does with the next payment",
  {
    host: z.union([
      z.enum(['as usual', 'approves', 'declines', 'silent', 'finds every PIN wrong']),
      z.strictObject({ declines: decline }),
      z.strictObject({ late: durationSchema }),
    ]),
    of: earlierRequestNameSchema.optional().meta({
      description:
        'A running payment to which this behaviour of the host applies, instead of the next payment',
    }),
    terminal: terminalNameSchema,
    always: z.boolean().optional().meta({
      description: 'Whether this behaviour of the host applies to every payment, not only to the next',
    }),
  },
  async ({ world, sent }, { host: behaviour, of, terminal: at, always }) =>
    world.host(behaviourOf(behaviour), {
      terminal: at,
      always,
      payment: of === undefined ? undefined : await sent(of).payment(),
    }),
);

type Behaviour = string | { declines: z.infer<typeof decline> } | { late: string };

function behaviourOf(behaviour: Behaviour) {
  if (typeof behaviour === 'object')
    return 'late' in behaviour
      ? { type: 'late' as const, delayMs: parseDurationMs(behaviour.late) }
      : { type: 'decline' as const, ...behaviour.declines };
  const types = {
    approves: 'approve',
    declines: 'decline',
    silent: 'silent',
    'finds every PIN wrong': 'wrongPin',
  } as const;
  const type = types[behaviour as keyof typeof types];
  return type && { type };
}

const pass = defineVerb(
  'pass',
  'Time passes; every timer that is due runs',
  { pass: durationSchema },
  ({ world }, { pass: time }) => world.pass(parseDurationMs(time)),
  ({ pass: time }) => ({ waitsMs: parseDurationMs(String(time)) }),
);

const restart = defineVerb(
  'restart gateway',
  'The gateway stops and starts again; the terminals keep running and reconnect',
  { 'restart gateway': loneVerbValueSchema },
  ({ world }) => world.restartGateway(),
  () => ({ restartsGateway: true }),
);

const crash = defineVerb(
  'crash gateway',
  'The gateway is killed at a moment of the next payment, and starts again',
  { 'crash gateway': gatewayMomentSchema, after: atMoment.after },
  ({ world }, { 'crash gateway': moment, ...counts }) =>
    world.at(moment, { action: 'crash', ...planOf(counts) }),
  () => ({ restartsGateway: true }),
);

const resetCard = defineVerb(
  'reset card',
  'Unblocks a card',
  { 'reset card': z.string() },
  ({ world }, { 'reset card': card }) => world.resetCard(card),
);

const account = defineVerb(
  'account',
  'The operator changes settings of the account (PATCH /control/accounts/…)',
  { account: z.record(z.string(), z.unknown()) },
  ({ world }, { account: changes }) => world.account(changes),
);

const control = defineVerb(
  'control',
  'Any call of the control API; it must succeed',
  {
    control: z
      .string()
      .regex(/^(GET|POST|PUT|PATCH|DELETE) \/\S*$/, 'must be a method and a path such as GET /books'),
    body: z.unknown().optional(),
  },
  ({ context }, { control: line, body }) => {
    const [method = '', path = ''] = line.split(' ');
    return context.control.call(method, `/control${path}`, body);
  },
);

/** The verbs for the conditions of a payment, such as power, network and time. */
export const worldVerbs = [power, network, host, pass, restart, crash, resetCard, account, control];
