import type { Gateway } from '../gateway/index.ts';
import type { AccountConfig } from './account-config.ts';
import { adyenResultsWebhookIdOf, webhookIdOf } from './configured-ids.ts';

/**
 * Makes the webhooks of an account. Makes them at the same time, so that several share one commit of the database. If
 * an identifier is not configured, it is made from the address, so that the next start finds the same webhook.
 *
 * @throws ApiError if another account already has an identifier
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

/** Makes the webhook that gets the results of /async. */
function provisionAdyenResultsWebhook(gateway: Gateway, accountId: string, url: string) {
  const id = adyenResultsWebhookIdOf(accountId);
  return gateway.webhooks.create({ id, accountId, url, types: ['adyen.results'] });
}
