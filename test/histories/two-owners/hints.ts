import type { HintBus } from '../../../gateway/cluster/hints/hints.ts';
import type { DiskClient } from './shared-disk.ts';

interface Listener {
  readonly client: DiskClient;
  readonly subject: string;
  hear(data: unknown): unknown;
}

/**
 * Carries messages between gateways. For each message, `carry` decides by chance whether the message is lost, or
 * arrives now, later or twice.
 */
export class HintCarrier {
  readonly #carry: (arrive: () => void) => void;
  #listeners: Listener[] = [];

  constructor(carry: (arrive: () => void) => void) {
    this.#carry = carry;
  }

  of(client: DiskClient): HintBus {
    return {
      publish: (subject, data) => this.#publish(client, subject, JSON.stringify(data)),
      subscribe: (subject, hear) => {
        const listener = { client, subject, hear };
        this.#listeners.push(listener);
        return () => {
          this.#listeners = this.#listeners.filter((other) => other !== listener);
        };
      },
      request: async () => ({ is: 'nobody' }),
      gather: async () => {},
      close: async () => {},
    };
  }

  /** Sends a message as another program might. */
  say(subject: string, data: unknown): void {
    this.#publish(undefined, subject, JSON.stringify(data));
  }

  #publish(from: DiskClient | undefined, subject: string, text: string | undefined): void {
    this.#carry(() => {
      const data = text === undefined ? undefined : JSON.parse(text);
      for (const { client, subject: heard, hear } of [...this.#listeners])
        if (heard === subject && client !== from && !client.dead) hear(data);
    });
  }
}
