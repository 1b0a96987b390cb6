import { z } from 'zod';

const environment = z.enum(['sandbox', 'production']);

/** One element of GET /terminals, as the service has it (B3). */
export const terminal = z
  .object({
    poi_id: z.string().meta({ description: 'Device identifier', example: 'V400m-100000001' }),
    identifier: z.uuid().meta({ description: 'Used as terminalId in paths' }),
    effective_payout_account: z
      .uuid()
      .nullable()
      .meta({ description: 'Null: charging fails with 409 payoutAccountMissing' }),
    store: z.object({ identifier: z.uuid(), name: z.string(), address: z.string() }),
  })
  .meta({ id: 'Terminal', description: 'A card terminal of the account' });
export type TerminalView = z.infer<typeof terminal>;

export const storeInput = z
  .object({
    id: z.uuid().optional().meta({ description: 'Made when absent' }),
    accountId: z.string(),
    environment: environment.default('sandbox'),
    name: z.string().min(1).max(60),
    address: z.string().max(120).default(''),
  })
  .meta({ id: 'StoreInput' });
export type StoreInput = z.input<typeof storeInput>;

export const store = z
  .object({ id: z.uuid(), accountId: z.string(), environment, name: z.string(), address: z.string() })
  .meta({ id: 'Store', description: 'A shop that terminals stand in' });
export type StoreView = z.infer<typeof store>;

const poiId = z.string().regex(/^[A-Za-z0-9]+-[A-Za-z0-9]+$/, 'must be MODEL-SERIAL, e.g. V400m-100000001');

export const terminalInput = z
  .object({
    id: z.uuid().optional().meta({ description: 'Made when absent' }),
    poiId,
    storeId: z.uuid(),
    payoutAccount: z.uuid().nullable().optional().meta({
      description: 'Null: charging fails with payoutAccountMissing; made when absent',
    }),
    magicAmounts: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: "Overrides the account's; null follows it" }),
    deviceKey: z
      .string()
      .regex(/^[A-Za-z0-9._~+/-]{16,200}=*$/, 'must have 16 to 200 characters that fit a bearer token')
      .optional()
      .meta({
        description: 'What the terminal shows at /poi, where the operator chooses it; made when absent',
      }),
  })
  .meta({ id: 'TerminalInput' });
export type TerminalInput = z.infer<typeof terminalInput>;

export const terminalChanges = terminalInput
  .pick({ payoutAccount: true, magicAmounts: true, storeId: true })
  .partial()
  .meta({ id: 'TerminalChanges' });
export type TerminalChanges = z.infer<typeof terminalChanges>;

/** A terminal as the operator sees it. */
export const provisionedTerminal = z
  .object({
    id: z.uuid(),
    poiId: z.string(),
    accountId: z.string(),
    environment,
    storeId: z.uuid(),
    payoutAccount: z.uuid().nullable(),
    magicAmounts: z.boolean().nullable(),
    connected: z.boolean(),
  })
  .meta({ id: 'ProvisionedTerminal' });
export type ProvisionedTerminal = z.infer<typeof provisionedTerminal>;

export const createdTerminal = provisionedTerminal
  .extend({
    deviceKey: z
      .string()
      .optional()
      .meta({ description: 'Shown this once; absent where the terminal existed' }),
  })
  .meta({ id: 'CreatedTerminal' });
export type CreatedTerminal = z.infer<typeof createdTerminal>;
