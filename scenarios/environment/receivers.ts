import { type Arrival, Receiver } from './receiver.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** What a webhook gets. */
export interface WebhookOptions {
  name: string;
  /** Types of events; all where none are named. */
  types?: readonly string[] | null | undefined;
}

/** The webhooks of a scenario: real receivers on this machine, registered for the account. */
export class Receivers {
  #context: ScenarioContext;
  #open: Receiver[] = [];
  #arrivals: Arrival[] = [];

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /** Starts a receiver and has the account's events sent to it from now on. */
  async open({ name, types }: WebhookOptions): Promise<Receiver> {
    const { clock, inFlight, accountId } = this.#context.environment;
    const receiver = await Receiver.start(name, { clock, inFlight }, (arrival) =>
      this.#arrivals.push(arrival),
    );
    this.#open.push(receiver);
    const { secret } = await this.#context.mustControl<{ secret: string }>('POST', '/webhooks', {
      id: this.#id(name),
      accountId,
      url: receiver.url,
      ...(types ? { types } : {}),
    });
    receiver.knows(secret);
    return receiver;
  }

  /** The receiver of that name; the first one without. @throws ScenarioError where there is none */
  get(name?: string): Receiver {
    const found = name === undefined ? this.#open[0] : this.#open.find((one) => one.name === name);
    if (found) return found;
    const names = this.#open.map((one) => one.name).join(', ') || 'none; say so under needs: webhooks';
    throw new ScenarioError(`there is no webhook ${name ?? ''}; there are: ${names}`);
  }

  /** What came to any of them, in the order it came. */
  get arrivals(): readonly Arrival[] {
    return this.#arrivals;
  }

  /** The gateway signs with another secret from now on, and for a day with the former one too. Gives the new one. */
  async rotateSecret(name?: string): Promise<string> {
    const path = `/webhooks/${this.#id(this.get(name).name)}/rotate-secret`;
    return (await this.#context.mustControl<{ secret: string }>('POST', path)).secret;
  }

  /** The receiver checks with the gateway's present secret from now on. */
  async takeSecret(name?: string): Promise<void> {
    const receiver = this.get(name);
    const path = `/webhooks/${this.#id(receiver.name)}`;
    receiver.knows((await this.#context.mustControl<{ secret: string }>('GET', path)).secret);
  }

  /** The latest event of that type is sent once more. @throws ScenarioError where none was sent yet */
  async sendAgain(type: string, name?: string): Promise<void> {
    const receiver = this.get(name);
    const path = `/webhook-deliveries?webhookId=${this.#id(receiver.name)}&limit=1000`;
    const all = await this.#context.mustControl<{ id: string; type: string }[]>('GET', path);
    const delivery = all.find((one) => one.type === type);
    if (!delivery) throw new ScenarioError(`no ${type} was ever sent to ${receiver.name}`);
    await this.#context.mustControl('POST', `/webhook-deliveries/${delivery.id}/replay`);
  }

  /** The receiver gets a message with a wrong signature. */
  async forge(name?: string): Promise<void> {
    await this.#context.mustControl('POST', `/webhooks/${this.#id(this.get(name).name)}/probe`);
  }

  /** Nothing more comes; on a gateway that others use, nothing of it stays. */
  async close(): Promise<void> {
    const open = this.#open.splice(0);
    if (!this.#context.environment.stack)
      for (const { name } of open) await this.#context.control('DELETE', `/webhooks/${this.#id(name)}`);
    await Promise.all(open.map((receiver) => receiver.close()));
  }

  #id(name: string): string {
    return `${this.#context.environment.accountId}-${name}`;
  }
}
