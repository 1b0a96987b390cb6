import { z } from 'zod';
import { testCardSchema } from '../../shared/emulator/cards.ts';
import { timeoutChangesSchema } from '../../shared/timeouts.ts';
import { configSchema } from '../../stack/index.ts';
import { faultStepSchema } from './fault-steps.ts';

const account = configSchema.shape.accounts.unwrap().element.shape;

const terminalNeed = z.strictObject({
  name: z.string().regex(/^[a-zA-Z][\w-]*$/),
  payoutAccount: z
    .literal('none')
    .optional()
    .meta({ description: 'none: the terminal has no payout account' }),
  magicAmounts: z.boolean().optional(),
  language: account.stores.unwrap().element.shape.terminals.unwrap().element.shape.language.optional(),
});

const webhookName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and -');

/** Everything that must exist before a scenario begins; by default a shop in euro with one terminal. */
export const scenarioNeedsSchema = z
  .strictObject({
    store: z
      .strictObject({ name: z.string().min(1).max(60).optional(), address: z.string().max(120).optional() })
      .optional(),
    currency: account.currency.unwrap().optional(),
    transactionLimit: account.transactionLimit.meta({ description: 'Major units' }),
    magicAmounts: z
      .boolean()
      .optional()
      .meta({ description: 'false: the last digits of an amount do not choose the outcome' }),
    terminals: z
      .union([z.int().min(1).max(20), z.array(z.union([z.string(), terminalNeed])).min(1)])
      .optional()
      .meta({ description: 'The number of terminals, or their names' }),
    cards: z.array(testCardSchema).optional().meta({ description: 'Further cards' }),
    cardOnFile: z.boolean().optional().meta({ description: 'false: saved cards cannot be charged' }),
    surchargePercent: z.number().min(0).max(100).optional(),
    contacts: account.contacts.unwrap().optional().meta({ description: 'Customers with saved cards' }),
    bankAccounts: account.bankAccounts.unwrap().optional(),
    webhooks: z
      .array(
        z.union([
          webhookName,
          z.strictObject({
            name: webhookName,
            types: configSchema.shape.accounts.unwrap().element.shape.webhooks.unwrap().element.shape.types,
          }),
        ]),
      )
      .min(1)
      .optional()
      .meta({
        description:
          'Receivers of webhooks, by name. Each receiver gets all events, or only events of the given `types`',
      }),
    securityQuestion: z
      .literal('none')
      .optional()
      .meta({ description: 'none: the account has no security question for payment links' }),
    production: z
      .boolean()
      .optional()
      .meta({ description: 'true: there is a token of the production environment' }),
    faults: z
      .array(faultStepSchema)
      .min(1)
      .optional()
      .meta({ description: 'The faults of requests, answers and events that are set before the first step' }),
    timeouts: timeoutChangesSchema.optional().meta({ description: 'Milliseconds' }),
    rateLimit: configSchema.shape.rateLimit,
    pacing: z.enum(['natural', 'instant']).optional(),
    clock: z
      .enum(['virtual', 'real'])
      .optional()
      .meta({ description: 'real: the scenario makes sense only in real time' }),
    seed: z.int().min(0).optional().meta({ description: 'The seed for identifiers; --seed overrides it' }),
  })
  .meta({ id: 'Needs', description: 'The accounts, terminals, cards and settings that the scenario needs' });
/**
 * Everything that must exist before a test begins. The fields are those of `needs` in a scenario
 * (`scenarioNeedsSchema`). `transactionLimit` is in major units.
 */
export type Needs = z.infer<typeof scenarioNeedsSchema>;
