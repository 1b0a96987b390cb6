import { z } from 'zod';
import { addressRulesSchema, isNatsAddress } from '../gateway/index.ts';
import { testCardSchema } from '../shared/emulator/cards.ts';
import { automaticShopperSchema as shopper } from '../shared/emulator/frames.ts';
import { journalLimitsSchema } from '../shared/journal.ts';
import { logLevels } from '../shared/log-levels.ts';
import { timeoutChangesSchema } from '../shared/timeouts.ts';
import { tokenPattern, tokenPatternMessage } from '../shared/token-pattern.ts';
import { readerRulesSchema, wedgeSettingsSchema } from '../terminal-emulator/index.ts';
import { accountConfigSchema } from './account-config.ts';
import { refuseRepeatedAccounts, refuseRepeatedIds, refuseRepeatedTerminals } from './configured-ids.ts';

/**
 * How pinpad handles mistakes of a point of sale: `error` reports mistakes and ends the command with exit code 1,
 * `warning` only reports mistakes, and `off` does not look for mistakes.
 */
export const lintModes = ['error', 'warning', 'off'] as const;

const adyenLocal = z
  .strictObject({
    port: z.int().min(0).max(65535).default(8443).describe('the port to listen on; 0 takes any free port'),
    keys: z
      .array(
        z.strictObject({
          identifier: z.string().min(1).max(100),
          version: z.int().min(0).default(1),
          passphrase: z
            .string()
            .regex(/^[\x20-\xff]{1,200}$/, 'must be 1 to 200 characters of Latin-1')
            .describe('the passphrase that tills and terminals share'),
        }),
      )
      .min(1)
      .superRefine(keysOnce),
  })
  .describe(
    'the address at which the terminals themselves answer the Terminal API, with encrypted messages over TLS',
  );

function keysOnce(
  keys: readonly { identifier: string; version: number }[],
  context: z.core.$RefinementCtx,
): void {
  const known = new Set<string>();
  for (const [at, { identifier, version }] of keys.entries()) {
    const message = `${identifier} with version ${version} must not be used twice`;
    if (known.has(`${version} ${identifier}`)) context.addIssue({ code: 'custom', path: [at], message });
    known.add(`${version} ${identifier}`);
  }
}

/**
 * Whether an address is only an origin. The links that customers get begin with this origin. If the address had other
 * parts, they would be lost, or customers would see them.
 */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

/** Checks the configuration file of `pinpad up --config FILE`. The file is YAML, and every field is optional. */
export const configSchema = z.strictObject({
  host: z
    .string()
    .default('127.0.0.1')
    .describe('the address to listen on; set it if other machines must reach the gateway'),
  port: z.int().min(0).max(65535).default(8080).describe('the port to listen on; 0 takes any free port'),
  data: z.string().default('.pinpad').describe('the folder for stored data'),
  memory: z.boolean().default(false).describe('keep all data in memory, and write no file'),
  database: z
    .url({
      protocol: /^postgres(ql)?$/,
      error:
        'must be an address such as postgres://user@host/database; special characters of a password are written as %XX',
    })
    .optional()
    .describe("the address of a PostgreSQL database that keeps the gateway's data (docs/postgresql.md)"),
  nats: z
    .string()
    .refine(
      isNatsAddress,
      'must be an address such as nats://user:password@host, or several addresses, separated by commas',
    )
    .optional()
    .describe(
      'the address of a NATS server, through which gateways of one database notify each other at once (docs/many-gateways.md)',
    ),
  controlToken: z
    .string()
    .min(16, 'must have at least 16 characters')
    .regex(tokenPattern, tokenPatternMessage)
    .optional()
    .describe('the token for /control; generated at the start if absent'),
  clock: z
    .enum(['real', 'virtual', 'skipping'])
    .default('real')
    .describe(
      'the clock: real; virtual (time moves only with calls to /control/clock); or skipping (like virtual, but time also skips ahead by itself while something waits)',
    ),
  skipping: z
    .strictObject({
      patienceMs: z
        .int()
        .min(0)
        .max(60_000)
        .default(50)
        .describe('time moves when nothing has happened for this many milliseconds of real time'),
      settleMs: z
        .int()
        .min(0)
        .max(600_000)
        .default(0)
        .describe(
          'time also moves for a webhook delivery, a refund or a delayed request that is due within this many milliseconds after the last request of the POS or of a test',
        ),
    })
    .default({ patienceMs: 50, settleMs: 0 })
    .describe('the settings of the clock "skipping"'),
  seed: z
    .int()
    .min(0)
    .optional()
    .describe('the seed for identifiers and keys; the same seed gives the same identifiers and keys'),
  timeScale: z
    .number()
    .positive()
    .max(10)
    .default(1)
    .describe('the factor by which every timeout is multiplied'),
  timeouts: timeoutChangesSchema.optional().describe('single timeouts in milliseconds'),
  ownLinks: z
    .boolean()
    .optional()
    .describe(
      'give each terminal its own connection to the gateway; by default the terminals share one connection',
    ),
  pacing: z
    .enum(['natural', 'instant'])
    .optional()
    .describe('how long terminals take to read cards, print and show texts'),
  logLevel: z.enum(logLevels).default('warn'),
  lint: z
    .enum(lintModes)
    .default('warning')
    .describe(
      'how mistakes of a point of sale are reported as they happen. With the value "error", the exit code of pinpad is 1 if there was a mistake',
    ),
  adyen: z
    .union([z.boolean(), z.strictObject({ local: adyenLocal.optional() })])
    .default(false)
    .describe("whether the gateway also speaks Adyen's Terminal API, and how (docs/adyen.md)"),
  rateLimit: z
    .strictObject({ requests: z.int().positive(), perSeconds: z.int().positive() })
    .optional()
    .describe('the rate of requests above which the gateway answers 429; if absent, there is no limit'),
  journal: journalLimitsSchema.optional().describe('how many journal entries are kept in memory'),
  publicUrl: z
    .string()
    .refine(isOrigin, 'must be an address such as https://pay.example.com, without a user, path, ? or #')
    .optional()
    .describe(
      'the address at which browsers and customers reach the gateway; if absent, the address to listen on',
    ),
  webhooks: z
    .strictObject({
      allowPrivateNetworks: z
        .boolean()
        .optional()
        .describe(
          'whether webhooks may be sent to private networks. By default, this is allowed only if no other machine can reach the gateway',
        ),
      allowedNetworks: addressRulesSchema.shape.allowedNetworks.describe(
        'networks to which webhooks may always be sent, in CIDR form',
      ),
      loopbackOnly: addressRulesSchema.shape.loopbackOnly.describe(
        'if true, webhooks are sent only to this machine, even if other settings allow more',
      ),
    })
    .optional(),
  accounts: z
    .array(accountConfigSchema)
    .superRefine(refuseRepeatedAccounts)
    .superRefine(refuseRepeatedTerminals)
    .superRefine(refuseRepeatedIds)
    .optional()
    .describe('the accounts; if absent, a demo account with two terminals'),
  cards: z.array(testCardSchema).default([]).describe('further cards'),
  readers: z
    .strictObject({
      rules: readerRulesSchema.default([]).describe('rules for cards from real readers'),
      countryCode: z
        .string()
        .regex(/^\d{3}$/, 'must be an ISO 3166 number such as 528')
        .optional()
        .describe('the country of the terminal, which is sent to chip cards'),
      wedge: z
        .union([z.boolean(), wedgeSettingsSchema])
        .optional()
        .describe(
          'whether card readers that type like a keyboard are accepted, and what they type around tracks',
        ),
    })
    .default({ rules: [] }),
  console: z
    .boolean()
    .optional()
    .describe(
      'whether there is a console in the browser. By default, there is one only if the gateway listens on loopback. On any other address, the console needs a publicUrl with https',
    ),
  shopper: shopper.optional().describe('an automatic shopper at every terminal'),
});
export type Config = z.infer<typeof configSchema>;
