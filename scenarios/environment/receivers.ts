import { ApiError } from '../../client/api-client.ts';
import type { EventType } from '../../client/openapi-types.ts';
import { type Arrival, Receiver } from './receiver.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** The settings of a webhook. */
export interface WebhookOptions {
  name: string;
  /** The types of events that the webhook gets. If absent, the webhook gets all types. */
  types?: readonly string[] | null;
}

/** The webhooks of a scenario: real receivers on this machine, registered for the account. */
export class Receivers {
  #context: ScenarioContext;
  #open: Receiver[] = [];
  #arrivals: Arrival[] = [];

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /**
   * Starts a receiver, to which the gateway sends the account's events from now on.
   *
   * @throws ApiError if the gateway refuses the webhook, for example because a type of event is unknown
   *
   * @example
   * const receiver = await pinpad.webhooks.open({ name: 'stock', types: ['payments.debits.completed'] });
   */
  async open({ name, types }: WebhookOptions): Promise<Receiver> {
    const { clock, inFlight, accountId } = this.#context.environment;
    const receiver = await Receiver.start(name, { clock, inFlight }, (arrival) =>
      this.#arrivals.push(arrival),
    );
    this.#open.push(receiver);
    const { secret } = await this.#context.control.POST('/control/webhooks', {
      body: {
        id: this.#id(name),
        accountId,
        url: receiver.url,
        types: types as EventType[] | undefined,
      },
    });
    receiver.knows(secret);
    return receiver;
  }

  /**
   * Returns the receiver with this name. If no name is given, returns the first receiver.
   *
   * @throws ScenarioError if there is no such receiver
   *
   * @example
   * const { arrivals } = pinpad.webhooks.get('stock');
   */
  get(name?: string): Receiver {
    const found = name === undefined ? this.#open[0] : this.#open.find((one) => one.name === name);
    if (found) return found;
    const names = this.#open.map((one) => one.name).join(', ');
    if (names === '') throw new ScenarioError('the scenario has no webhooks: add "webhooks" under "needs"');
    throw new ScenarioError(`unknown webhook ${name ?? ''}; known webhooks: ${names}`);
  }

  /** The messages that came to all receivers, in order of arrival. */
  get arrivals(): readonly Arrival[] {
    return this.#arrivals;
  }

  /**
   * Makes the gateway sign with a new secret from now on. For one day, the gateway also signs with the previous
   * secret. Returns the new secret.
   *
   * @throws ScenarioError if there is no such receiver
   *
   * @example
   * const secret = await pinpad.webhooks.rotateSecret();
   */
  async rotateSecret(name?: string): Promise<string> {
    const params = this.#named(name);
    return (await this.#context.control.POST('/control/webhooks/{webhookId}/rotate-secret', { params }))
      .secret;
  }

  /**
   * From now on, the receiver checks signatures with the secret that the gateway uses now.
   *
   * @throws ScenarioError if there is no such receiver
   *
   * @example
   * await pinpad.webhooks.rotateSecret();
   * await pinpad.webhooks.takeSecret();
   */
  async takeSecret(name?: string): Promise<void> {
    const receiver = this.get(name);
    const params = this.#named(name);
    receiver.knows((await this.#context.control.GET('/control/webhooks/{webhookId}', { params })).secret);
  }

  /**
   * Makes the gateway send the latest event of this type to the receiver once more.
   *
   * @throws ScenarioError if there is no such receiver, or if no such event was sent to this receiver yet
   *
   * @example
   * await pinpad.webhooks.sendAgain('payments.debits.completed');
   */
  async sendAgain(type: string, name?: string): Promise<void> {
    const receiver = this.get(name);
    const query = { webhookId: this.#id(receiver.name), limit: 1000 };
    const all = await this.#context.control.GET('/control/webhook-deliveries', { params: { query } });
    const delivery = all.find((one) => one.type === type);
    if (!delivery) throw new ScenarioError(`no ${type} was sent to ${receiver.name}`);
    const params = { path: { deliveryId: delivery.id } };
    await this.#context.control.POST('/control/webhook-deliveries/{deliveryId}/replay', { params });
  }

  /**
   * Makes the gateway send a message with a wrong signature to the receiver.
   *
   * @throws ScenarioError if there is no such receiver
   *
   * @example
   * await pinpad.webhooks.forge();
   */
  async forge(name?: string): Promise<void> {
    const params = this.#named(name);
    await this.#context.control.POST('/control/webhooks/{webhookId}/probe', { params });
  }

  /**
   * Closes all receivers. If other clients use the gateway too, also deletes the webhooks of these receivers.
   *
   * @example
   * await pinpad.webhooks.close();
   */
  async close(): Promise<void> {
    const open = this.#open.splice(0);
    try {
      if (!this.#context.environment.stack) for (const { name } of open) await this.#deleteWebhook(name);
    } finally {
      await Promise.all(open.map((receiver) => receiver.close()));
    }
  }

  async #deleteWebhook(name: string): Promise<void> {
    const params = { path: { webhookId: this.#id(name) } };
    await this.#context.control.DELETE('/control/webhooks/{webhookId}', { params }).catch((error: Error) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }

  #named(name: string | undefined) {
    return { path: { webhookId: this.#id(this.get(name).name) } };
  }

  #id(name: string): string {
    return receiverWebhookIdOf(this.#context.environment.accountId, name);
  }
}

/** Returns the id of a receiver's webhook at the gateway. */
export const receiverWebhookIdOf = (accountId: string, name: string) => `${accountId}-${name}`;
