/** The usual number of terminals. Each is in a process of its own. */
export const usualTerminals = 5;

/** The contact and the bank account that the back office uses. */
export const configuredContactId = 'robin';
export const configuredBankAccountId = 'current-account';
export const securityAnswer = 'blue';
export const savedCards = {
  charged: [
    ...['visa', 'visa', 'mastercard', 'amex', 'insufficient-funds'],
    ...['refund-fails-later', 'refund-cannot-be-sent', 'refund-fails-at-once'],
  ],
  authorized: ['visa', 'mastercard', 'declined', 'fails-at-capture', 'refund-fails-later'],
};
/** With this percentage, every surcharge is a whole number of cents, because all amounts are multiples of 50 cents. */
export const surchargePercent = 2;

export interface ConfigurationOptions {
  webhook: { url: string; secret: string };
  terminals?: number;
  /** Settings of the gateway and further accounts that one test adds to the common configuration. */
  settings?: { timeouts?: object; journal?: object };
  accounts?: readonly object[];
}

/** Returns the configuration that all trials have in common. */
export function makeLoadConfiguration({
  webhook,
  terminals = usualTerminals,
  settings,
  accounts = [],
}: ConfigurationOptions) {
  return {
    pacing: 'instant',
    logLevel: 'debug', // at this level, the log has the journal's entries, even if the process is killed
    controlToken: 'load-test-control-token',
    adyen: true,
    // A failed message is sent again soon, because receivers fail often in these trials. The limit for answers is long,
    // because a receiver that is only slow on a busy machine has not failed.
    timeouts: { webhookRetryUnitMs: 1, webhookAnswerMs: 5_000, ...settings?.timeouts },
    ...(settings?.journal ? { journal: settings.journal } : {}),
    accounts: [
      {
        name: 'Load Test',
        tokens: [{ token: 'test_load_test_load_test' }],
        cardOnFile: true,
        surchargePercent,
        contacts: [
          {
            id: configuredContactId,
            name: 'Robin',
            cards: [...new Set([...savedCards.charged, ...savedCards.authorized])].map((card) => ({
              id: card,
              card,
            })),
          },
        ],
        bankAccounts: [{ id: configuredBankAccountId, name: 'Current account' }],
        securityQuestion: { question: 'What colour?', answer: securityAnswer },
        webhooks: [{ id: 'receiver', url: webhook.url, secret: webhook.secret }],
        stores: [
          {
            name: 'Load Test',
            terminals: Array.from({ length: terminals }, (_, nth) => ({
              poiId: `V400m-${300_000_001 + nth}`,
            })),
          },
        ],
      },
      ...accounts,
    ],
    shopper: { card: 'offline-pin', entry: 'ICC', tip: '1', thinkMs: 6 },
  };
}
