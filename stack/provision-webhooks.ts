import type { Gateway } from '../gateway/index.ts';
import type { AccountConfig } from './account-config.ts';
import { webhookIdOf } from './configured-ids.ts';

/**
 * Makes the webhooks of an account, all at once, so that they share commits. An identifier that is not configured is
 * made from the address, so that a second run finds the same webhook.
 *
 * @throws ApiError for an identifier that another account has
 */
export async function provisionWebhooks(
  gateway: Gateway,
  accountId: string,
  { webhooks, adyen }: AccountConfig,
): Promise<void> {
  await Promise.all([
    ...webhooks.map(({ id, secret, ...webhook }) =>
      gateway.webhooks.create({
        id: webhookIdOf(accountId, { id, url: webhook.url }),
        accountId,
        ...webhook,
        secret,
      }),
    ),
    ...(adyen?.events === undefined ? [] : [provisionAdyenResultsWebhook(gateway, accountId, adyen.events)]),
  ]);
}

/**
 * Makes the webhook that gets results of /async. Its id does not depend on the address, so that a new address replaces
 * the former one.
 */
function provisionAdyenResultsWebhook(gateway: Gateway, accountId: string, url: string) {
  const id = `${accountId}-adyen-results`.slice(0, 64);
  return gateway.webhooks.create({ id, accountId, url, types: ['adyen.results'] });
}
