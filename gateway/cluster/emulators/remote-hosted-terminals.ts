import { z } from 'zod';
import { type Screen, screenSchema } from '../../../shared/emulator/screen.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { EmulatorServer } from '../../control/emulator-server.ts';
import { answerCollectors, type CollectedPage, CrossGatewayCollector } from '../collector.ts';
import type { HintBus } from '../hints/hints.ts';
import { HostedTerminalRegistry } from './hosted-terminal-log.ts';

const subject = 'emulators';

const hosted = z.object({
  poiId: z.string(),
  emulator: z.number().optional(),
  since: z.number().optional(),
  screen: screenSchema.optional(),
});
type Seen = z.infer<typeof hosted>;

/**
 * Knows which terminals are hosted by emulators at other gateways, and what these terminals show. The other gateways
 * must be reachable over NATS.
 */
export class RemoteHostedTerminals {
  readonly log: HostedTerminalRegistry;
  readonly #collector: CrossGatewayCollector;
  /**
   * The known terminals. The outer key is the identifier of the hosting gateway's process; the inner key is the
   * terminal's poi_id.
   */
  readonly #seen = new Map<string, Map<string, Seen>>();
  readonly #watchers = new Set<(poiId: string, screen: Screen) => void>();

  constructor({ realClock: clock, identifiers }: Runtime, hints: HintBus, emulators: EmulatorServer) {
    this.log = new HostedTerminalRegistry(emulators);
    this.#collector = new CrossGatewayCollector({
      hints,
      clock,
      subject,
      take: (page) => this.#take(page),
      done() {},
      gone: (run) => void this.#seen.delete(run),
      wanted: () => this.#watchers.size > 0,
    });
    answerCollectors(hints, subject, identifiers.next(), async (after) => {
      await this.log.show();
      return this.log.after(after);
    });
  }

  /** Resolves when this gateway knows the present state of the other gateways' terminals. */
  bringUpToDate(): Promise<void> {
    return this.#collector.now();
  }

  /**
   * Returns the last known state of a terminal. If several gateways say that they host the terminal, the state at the
   * gateway whose emulator began last is returned.
   */
  lastSeen(poiId: string): Seen | undefined {
    let latest: Seen | undefined;
    for (const terminals of this.#seen.values()) {
      const seen = terminals.get(poiId);
      if (seen && (seen.since ?? 0) >= (latest?.since ?? 0)) latest = seen;
    }
    return latest;
  }

  hostedTerminals(): string[] {
    return [...this.#seen.values()].flatMap((terminals) => [...terminals.keys()]);
  }

  /** Returns one terminal of each emulator at the other gateways. */
  representatives(): string[] {
    return [...this.#seen.values()].flatMap((terminals) => [
      ...new Map([...terminals].map(([poiId, { emulator }]) => [emulator, poiId])).values(),
    ]);
  }

  /** Calls `watcher` with every screen from now on. Returns a function that ends these calls. */
  watch(watcher: (poiId: string, screen: Screen) => void): () => void {
    this.#watchers.add(watcher);
    void this.bringUpToDate();
    return () => this.#watchers.delete(watcher);
  }

  #take({ run, items }: CollectedPage): void {
    const terminals = this.#seen.get(run) ?? new Map<string, Seen>();
    this.#seen.set(run, terminals);
    for (const item of items) {
      const { data: seen } = hosted.safeParse(item);
      if (!seen) continue;
      if (seen.emulator === undefined) terminals.delete(seen.poiId);
      else terminals.set(seen.poiId, seen);
      if (seen.screen) for (const watcher of this.#watchers) watcher(seen.poiId, seen.screen);
    }
  }
}
