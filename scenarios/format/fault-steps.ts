import { z } from 'zod';
import type { FaultInput } from '../../client/openapi-types.ts';
import { callNames, isRequestSelector } from './calls.ts';
import { durationSchema, loneVerbValueSchema, parseDurationMs } from './values.ts';

const allowed = `${callNames.join(', ')}, any, or a method and a path such as POST /terminals/{id}/payment-request`;
const what = z
  .string()
  .refine(isRequestSelector, {
    error: ({ input }) => `${input} is not a request of the POS; use one of: ${allowed}`,
  })
  .meta({ description: allowed });

const counts = {
  after: z.int().min(1).optional().meta({
    description:
      'The number of events, or of requests of the named kind, that the fault leaves alone before it takes effect; none by default',
  }),
  times: z
    .union([z.int().min(1), z.literal('always')])
    .optional()
    .meta({ description: 'How many times the fault happens, or `always`; once by default' }),
};
const webhook = z.string().optional().meta({
  description: 'The name of a webhook in `needs`; if left out, the fault affects events to any webhook',
});

/** A fault without its target, in the form that `POST /control/faults` accepts. */
type Without<Kind> = Kind extends unknown
  ? Omit<Kind, 'method' | 'path' | 'endpointId' | 'accountId' | 'after' | 'times'>
  : never;
export type EventFaultStep = Without<Extract<FaultInput, { endpointId?: string }>>;
export type RequestFaultStep = Exclude<Without<FaultInput>, EventFaultStep>;

/** The fields that say how often a fault happens. Every fault step has these fields. */
export interface FaultOccurrences {
  readonly after?: number;
  readonly times?: number | 'always';
}

/** One way to write a fault of requests or of events in a scenario, as a step or in the scenario's `needs`. */
interface FaultForm<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  readonly schema: Schema;
  readonly standsAlone: boolean;
  readonly isOfEvents: boolean;
  /** Turns a step into the input for the control API. */
  readonly fault: (step: never) => RequestFaultStep | EventFaultStep;
}

type Schema<Name extends string, Value, Fields> = z.ZodObject<
  { [Key in Name]: Value } & Fields & typeof counts,
  z.core.$strict
>;

function ofRequests<const Name extends string, const Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
  fault: (step: z.output<z.ZodObject<Fields>>) => RequestFaultStep,
): FaultForm<Name, Schema<Name, typeof what, Fields>> {
  const schema = z.strictObject({ [name]: what, ...fields, ...counts }).meta({ description });
  return { name, schema: schema as never, standsAlone: false, isOfEvents: false, fault };
}

const webhookField = { webhook };

function ofEvents<const Name extends string, Value extends z.ZodType>(
  name: Name,
  description: string,
  value: Value,
  fault: (value: z.output<Value>) => EventFaultStep,
): FaultForm<Name, Schema<Name, Value, typeof webhookField>> {
  const schema = z.strictObject({ [name]: value, ...webhookField, ...counts }).meta({ description });
  return {
    name,
    schema: schema as never,
    standsAlone: (value as z.ZodType) === loneVerbValueSchema,
    isOfEvents: true,
    fault: (step: { [Key in Name]: z.output<Value> }) => fault(step[name]),
  };
}

const by = durationSchema.meta({ description: 'The delay' });
const status = <const Statuses extends readonly number[]>(...statuses: Statuses) =>
  z
    .literal(statuses as unknown as Statuses[number][])
    .optional()
    .meta({ description: '503 by default' });

/** All ways to write a fault. A fault of requests names the requests, and a fault of events names the webhook. */
export const faultStepForms = [
  ofRequests(
    'drop answer',
    "The gateway executes the POS's next request of the named kind, but the answer never arrives",
    {},
    () => ({ fault: 'dropAnswer' }),
  ),
  ofRequests(
    'drop request',
    "The POS's next request of the named kind gets lost and is not executed",
    {},
    () => ({
      fault: 'dropRequest',
    }),
  ),
  ofRequests(
    'delay request',
    "The connection of the POS's next request of the named kind breaks, and the gateway executes the request later, as a new request",
    { by },
    ({ by }) => ({ fault: 'delayRequest', delayMs: parseDurationMs(by) }),
  ),
  ofRequests(
    'duplicate request',
    "The POS's next request of the named kind comes twice: the gateway also checks and executes a copy, which has its own Request-Id",
    {
      answered: z.enum(['first', 'copy']).optional().meta({
        description: 'Whether the POS gets the answer to the first request (the default) or to the copy',
      }),
    },
    ({ answered }) => ({ fault: 'duplicateRequest', answered }),
  ),
  ofRequests(
    'fail request',
    "The POS's next request of the named kind is answered with an error and not executed",
    { status: status(429, 500, 502, 503, 504) },
    (step) => ({ fault: 'failRequest', status: step.status }),
  ),
  ofRequests(
    'delay answer',
    "The gateway executes the POS's next request of the named kind, and answers late",
    { by },
    ({ by }) => ({ fault: 'delayAnswer', delayMs: parseDurationMs(by) }),
  ),
  ofRequests(
    'fail answer',
    "The gateway executes the POS's next request of the named kind, but answers with an error",
    { status: status(500, 502, 503, 504) },
    (step) => ({ fault: 'failAnswer', status: step.status }),
  ),
  ofRequests(
    'truncate answer',
    "The gateway executes the POS's next request of the named kind, and the connection breaks in the middle of the answer",
    { bytes: z.int().min(0).meta({ description: "The number of bytes of the answer's body that arrive" }) },
    ({ bytes }) => ({ fault: 'truncateAnswer', bytes }),
  ),
  ofRequests(
    'slow answer',
    "The gateway executes the POS's next request of the named kind, and the answer comes slowly",
    { 'bytes per second': z.int().min(1) },
    (step) => ({ fault: 'slowAnswer', bytesPerSecond: step['bytes per second'] }),
  ),
  ofRequests(
    'cut answer',
    "If the POS's next request of the named kind is not answered in time, the connection breaks, as if a proxy had closed it",
    {
      within: durationSchema.meta({
        description: 'The time within which the request must be answered, such as 60 s',
      }),
    },
    ({ within }) => ({ fault: 'cutAnswer', afterMs: parseDurationMs(within) }),
  ),
  ofRequests(
    'hold answer',
    "The gateway executes the POS's next request of the named kind and does not answer; time stands still until the POS hangs up",
    {},
    () => ({ fault: 'holdAnswer' }),
  ),
  ofEvents(
    'duplicate event',
    'The next event comes twice, with the same webhook-id',
    loneVerbValueSchema,
    () => ({
      fault: 'duplicateEvent',
    }),
  ),
  ofEvents(
    'reorder events',
    'The next two events come in the wrong order. If no second event follows, the first event comes after a minute',
    loneVerbValueSchema,
    () => ({ fault: 'reorderEvents' }),
  ),
  ofEvents(
    'delay event',
    'The next event comes late, and so do later events of the same resource',
    by,
    (value) => ({ fault: 'delayEvent', delayMs: parseDurationMs(value) }),
  ),
  ofEvents(
    'lose event',
    'The next event gets lost on its way, and is sent again',
    loneVerbValueSchema,
    () => ({
      fault: 'loseEvent',
    }),
  ),
  ofEvents(
    'forge event',
    'The next event is followed by a forged copy, with another amount and a wrong signature',
    loneVerbValueSchema,
    () => ({ fault: 'forgeEvent' }),
  ),
] as const;

type Form = (typeof faultStepForms)[number];
type Lone = 'duplicate event' | 'reorder events' | 'lose event' | 'forge event';
const lone = faultStepForms.filter(({ standsAlone }) => standsAlone).map(({ name }) => name) as Lone[];

/** A fault in the `needs` of a scenario, written in any form of `faultStepForms`. */
export const faultStepSchema = z.union([
  z.enum(lone),
  ...(faultStepForms.map(({ schema }) => schema) as unknown as [Form['schema'], ...Form['schema'][]]),
]);
export type FaultStep = z.infer<typeof faultStepSchema>;

/** The fields of a step that sets a fault. */
interface SaidFault extends FaultOccurrences {
  /**
   * The field that has the name of the fault's form, such as `fail request`. For a fault of requests, the value names
   * the requests. For a fault of an event, the value is the setting that the fault needs.
   */
  readonly [name: string]: unknown;
  readonly webhook?: string;
}

/** Finds the form in which a step for a fault is written. Returns the form, and the fields of the step. */
export function readFaultStep(step: FaultStep): { form: FaultForm; said: SaidFault } {
  const said = (typeof step === 'string' ? { [step]: true } : step) as SaidFault;
  const form = faultStepForms.find(({ name }) => name in said);
  if (!form) throw new Error(`no fault has the name ${Object.keys(said)}`);
  return { form, said };
}
