import { z } from 'zod';
import { screenStateSchema } from '../../shared/emulator/screen.ts';
import { outcomes } from '../expect/answer.ts';
import { waitForExpectations } from '../expect/expect.ts';
import {
  durationSchema,
  earlierRequestNameSchema,
  parseDurationMs,
  terminalNameSchema,
} from '../format/values.ts';
import { defineVerb } from './verb.ts';

const outcome = z
  .enum(outcomes, { error: noOutcome })
  .meta({ description: 'success, or the errorCondition' });
const anything = z.record(z.string(), z.unknown());
const oneOrMore = <Item extends z.ZodType>(item: Item) => z.union([item, z.array(item)]);

const expected = z.strictObject({
  answer: z
    .union([
      z.enum(['pending', 'lost']),
      z.int(),
      z.strictObject({
        status: z.unknown().optional(),
        headers: anything.optional(),
        error: z.unknown().optional().meta({ description: "The envelope's error code" }),
        body: z.unknown().optional(),
      }),
    ])
    .optional()
    .meta({
      description:
        'The HTTP answer: its status, or parts of the answer; `pending` if the gateway still holds the request open; `lost` if the connection broke',
    }),
  outcome: outcome.optional().meta({ description: 'How the payment ended' }),
  screen: z.union([screenStateSchema, anything]).optional().meta({
    description: 'The state of the screen, or parts of the screen; `text` is the whole text on the screen',
  }),
  receipt: z
    .union([
      z.literal('none'),
      z.strictObject({
        copy: z.enum(['customerReceipt', 'cashierReceipt']).optional(),
        contains: z.array(z.string()).optional(),
        lacks: z.array(z.string()).optional(),
        text: z.unknown().optional(),
      }),
    ])
    .optional()
    .meta({ description: 'The latest receipt that was printed' }),
  journal: oneOrMore(
    z.strictObject({
      kind: z.string(),
      data: z.unknown().optional(),
      terminal: z.string().optional(),
      times: z
        .int()
        .min(0)
        .optional()
        .meta({ description: 'How many matching entries there must be; 0 means none' }),
    }),
  )
    .optional()
    .meta({ description: 'Entries of the journal' }),
  ledger: z
    .union([z.array(z.union([z.string(), anything])), anything])
    .optional()
    .meta({ description: "The acquirer's ledger entries about the payment, oldest first" }),
  books: z
    .union([z.enum(['agree', 'told']), anything])
    .optional()
    .meta({ description: 'Whether the issuer moved the amount that was reported to the POS' }),
  explanation: z
    .unknown()
    .optional()
    .meta({ description: 'The reason why the payment or debit ended as it did' }),
  events: z
    .array(z.union([z.string(), anything]))
    .optional()
    .meta({ description: 'Events that must have been published; other events are allowed' }),
  page: z.union([z.string(), anything]).optional().meta({
    description: "The text of the customer's page at a link, or parts of the page: status, title, text",
  }),
  webhooks: z
    .union([z.literal('none'), z.array(z.union([z.string(), anything])), anything])
    .optional()
    .meta({
      description:
        'The webhooks that must have arrived, in this order: their types, or parts of the webhooks. Other webhooks between them are allowed',
    }),
});

/** Returns the message about a text that is not an outcome. Authors often write `failure` or `declined` at first. */
function noOutcome({ input }: { input?: unknown }): string | undefined {
  if (typeof input !== 'string') return undefined;
  const [, ...conditions] = outcomes;
  return `no payment ends as ${input}: write success, or one of these reasons of a failure: ${conditions.join(', ')}`;
}

const expectVerb = defineVerb(
  'expect',
  'Checks that something is true, now or within a time limit',
  {
    expect: z.union([outcome, expected]),
    of: earlierRequestNameSchema
      .optional()
      .meta({ description: 'The request that the expectation is about; by default the latest request' }),
    terminal: terminalNameSchema,
    within: durationSchema
      .optional()
      .meta({ description: 'The time within which the expectation must become true; 5 s by default' }),
  },
  ({ context, pos, receivers, customer, stored }, { expect: expected, of, terminal: at, within }) => {
    const { journal, ...rest } =
      typeof expected === 'string' ? { outcome: expected, journal: undefined } : expected;
    const entries = journal === undefined || Array.isArray(journal) ? journal : [journal];
    return waitForExpectations(
      { context, pos, receivers, customer, stored, of, terminal: at },
      { ...rest, journal: entries },
      within === undefined ? undefined : parseDurationMs(within),
    );
  },
);

export const expectVerbs = [expectVerb];
