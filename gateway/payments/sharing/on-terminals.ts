import { z } from 'zod';
import type { Peers } from '../../peers/peers.ts';
import type { OpenPayments } from '../moving/open-payments.ts';

const subject = 'onTerminals';
const question = z.object({ payments: z.array(z.string()) });
const answer = z.object({ gateway: z.string(), payments: z.array(z.string()) });
/** What a gateway says later than this is not waited for. */
const mostMs = 1_000;

/** Which payments their terminals have taken up. It is in no database: only a terminal's own gateway knows. */
export class OnTerminals {
  readonly #open: OpenPayments;
  readonly #peers: Peers | undefined;

  constructor({ open, peers }: { open: OpenPayments; peers: Peers | undefined }) {
    this.#open = open;
    this.#peers = peers;
    peers?.hints.subscribe(subject, (data) => ({
      gateway: peers.gateways.id,
      payments: question.parse(data).payments.filter((id) => this.#isHere(id)),
    }));
  }

  /** Those of these payments, whichever gateway their terminals belong to; without those of one that says nothing. */
  async among(payments: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set(payments.filter((id) => this.#isHere(id)));
    const unknown = payments.filter((id) => !found.has(id));
    if (this.#peers && unknown.length > 0) await this.#ask(this.#peers, unknown, found);
    return found;
  }

  #isHere(id: string): boolean {
    const state = this.#open.byId(id);
    return state.is !== 'none' && state.is !== 'waiting' && state.onTerminal;
  }

  async #ask({ hints, gateways }: Peers, payments: string[], found: Set<string>): Promise<void> {
    const silent = new Set(await gateways.others());
    if (silent.size === 0) return;
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
  }
}
