import { z } from 'zod';
import type { OpenPayments } from '../../payments/moving/open-payments.ts';
import type { Cluster } from '../cluster.ts';

const subject = 'onTerminals';
const question = z.object({ payments: z.array(z.string()) });
const answer = z.object({ gateway: z.string(), payments: z.array(z.string()) });
/** The time limit in ms for answers of other gateways. */
const mostMs = 1_000;

/**
 * Asks the other gateways which payments have begun on their terminals, and answers this question for other gateways.
 * Only a terminal's owner knows whether a payment has begun, because this is not in the database.
 */
export class StartedPaymentsQuery {
  readonly #cluster: Cluster;

  constructor({ open, cluster }: { open: OpenPayments; cluster: Cluster }) {
    this.#cluster = cluster;
    cluster.hints.subscribe(subject, (data) => ({
      gateway: cluster.gateways.id,
      payments: question.parse(data).payments.filter((id) => open.isOnTerminal(id)),
    }));
  }

  async begunAmong(payments: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const { hints, gateways } = this.#cluster;
    const silent = new Set(payments.length === 0 ? [] : await gateways.others());
    if (silent.size === 0) return found;
    await new Promise<void>((resolve) => {
      const each = (said: unknown) => {
        const { data } = answer.safeParse(said);
        if (!data) return;
        for (const id of data.payments) found.add(id);
        silent.delete(data.gateway);
        if (silent.size === 0) resolve();
      };
      void hints.gather(subject, { payments }, { timeoutMs: mostMs }, each).then(resolve);
    });
    return found;
  }
}
