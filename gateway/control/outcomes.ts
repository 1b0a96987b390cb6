import { z } from 'zod';
import { errorConditionSchema } from '../../shared/nexo/enums.ts';
import { defaultAmountEndingRefusals } from '../acquirer/amount-endings.ts';
import {
  hostOutcomeSchema,
  outcomeModeSchema,
  type PresetOutcome,
  presetOutcomeSchema,
} from '../acquirer/schemas.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import { exampleIds } from './examples.ts';
import { requireTerminal, terminalParamsSchema } from './terminal-params.ts';

const amountEnding = z
  .object({
    ending: z.string().meta({ description: 'Last three digits of the requested amount in minor units' }),
    errorCondition: errorConditionSchema,
    refusalReason: z.string(),
    message: z.string(),
  })
  .meta({ id: 'AmountEnding' });

const rules = z
  .object({
    order: z.array(z.string()).meta({
      description:
        'The rules, in the order in which they are tried. The outcome comes from the first rule that applies',
    }),
    amountEndings: z.array(amountEnding),
    set: z.array(presetOutcomeSchema),
  })
  .meta({ id: 'OutcomeRules', description: "The rules that choose the acquirer host's answers" });

const order = [
  "the terminal's own checks: the brand, the entry mode, whether the card can be read, whether it has expired, and the PIN",
  'the outcome set for this payment',
  'the outcome set for this terminal',
  "the card's own behaviour, unless the card approves every payment",
  "the requested amount's ending, unless magic amounts are off for the account or the terminal",
  'approve',
];

const declineExample = {
  type: 'decline',
  errorCondition: 'Refusal',
  refusalReason: '210 Not enough balance',
  message: 'NOT_ENOUGH_BALANCE',
};
const setExample = { scope: 'terminal', subject: exampleIds.terminal, mode: 'once', outcome: declineExample };
const bodyExamples = {
  decline: { outcome: declineExample },
  silentHost: { outcome: { type: 'silent' } },
  lateHost: { outcome: { type: 'late', delayMs: 45_000 } },
};

/** Makes the endpoints of the outcomes that a test sets, and the endpoints of the host's other rules. */
export function outcomeEndpoints({ terminals, acquirer, store }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: outcomes', guard: 'control' });
  const put = async (entry: PresetOutcome) => {
    await acquirer.outcomes.set(entry);
    return entry;
  };
  const clear = (subject: string) => acquirer.outcomes.clear(subject);
  const openPayment = async (id: string): Promise<string> => {
    const found = await store.read((db) =>
      db
        .selectFrom('payments')
        .leftJoin('payment_results', 'payment_id', 'id')
        .select(['id', 'result'])
        .where('id', '=', id.toLowerCase())
        .executeTakeFirst(),
    );
    if (!found) throw new ApiError('notFound', { message: `Payment ${id} does not exist` });
    if (found.result) throw new ApiError('conflict', { message: `Payment ${id} is concluded` });
    return found.id;
  };
  const paymentParams = z.object({ paymentId: z.string() });
  const set200 = { 200: describeResponse('Set', presetOutcomeSchema, { decline: setExample }) };
  return [
    endpoint({
      route: 'GET /control/outcomes',
      operationId: 'controlGetOutcomes',
      summary: 'List the outcome rules, and the outcomes that are set',
      responses: {
        200: describeResponse(
          'The rules in their order, the magic amounts, and the outcomes that are set now',
          rules,
          {
            rules: {
              order,
              amountEndings: [{ ending: '124', ...defaultAmountEndingRefusals['124'] }],
              set: [setExample],
            },
          },
        ),
      },
      gives: () => ({
        order,
        amountEndings: Object.entries(acquirer.amountEndings).map(([ending, behaviour]) => ({
          ending,
          ...behaviour,
        })),
        set: acquirer.outcomes.list(),
      }),
    }),
    endpoint({
      route: 'PUT /control/terminals/{terminalId}/outcome',
      operationId: 'controlSetTerminalOutcome',
      summary: "Set a terminal's outcome",
      description:
        'With `once` (the default), the outcome applies to the first payment that it can affect, at the host or on the terminal. ' +
        'With `always`, the outcome applies to every payment until it is cleared.',
      params: terminalParamsSchema,
      body: z.object({ outcome: hostOutcomeSchema, mode: outcomeModeSchema.default('once') }),
      bodyExamples,
      responses: set200,
      errors: ['terminalNotFound'],
      gives: ({ params, body }) =>
        put({ scope: 'terminal', subject: requireTerminal(terminals, params.terminalId).id, ...body }),
    }),
    endpoint({
      route: 'DELETE /control/terminals/{terminalId}/outcome',
      operationId: 'controlClearTerminalOutcome',
      summary: "Clear a terminal's outcome",
      params: terminalParamsSchema,
      responses: { 204: { description: 'No outcome is set' } },
      errors: ['terminalNotFound'],
      gives: ({ params }) => clear(requireTerminal(terminals, params.terminalId).id),
    }),
    endpoint({
      route: 'PUT /control/payments/{paymentId}/outcome',
      operationId: 'controlSetPaymentOutcome',
      summary: 'Set the outcome of a running payment',
      params: paymentParams,
      body: z.object({ outcome: hostOutcomeSchema }),
      bodyExamples,
      responses: set200,
      errors: ['notFound', 'conflict'],
      gives: async ({ params, body }) =>
        put({
          scope: 'payment',
          subject: await openPayment(params.paymentId),
          mode: 'once',
          outcome: body.outcome,
        }),
    }),
    endpoint({
      route: 'DELETE /control/payments/{paymentId}/outcome',
      operationId: 'controlClearPaymentOutcome',
      summary: 'Remove the outcome that was set for a payment',
      params: paymentParams,
      responses: { 204: { description: 'No outcome is set' } },
      errors: ['notFound', 'conflict'],
      gives: async ({ params }) => clear(await openPayment(params.paymentId)),
    }),
  ];
}
