import { z } from 'zod';
import { type Screen, screen } from '../../../shared/emulator/screen.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { EmulatorServer } from '../../control/emulator-server.ts';
import { type CollectedPage, Collector, offer } from '../collector.ts';
import type { Hints } from '../hints/hints.ts';
import { HostingLog } from './hosting-log.ts';

const subject = 'emulators';

const hosted = z.object({
  poiId: z.string(),
  emulator: z.number().optional(),
  since: z.number().optional(),
  screen: screen.optional(),
});
type Seen = z.infer<typeof hosted>;

/** Shows which terminals emulators host at the other gateways and what these terminals show, as far as NATS reaches. */
export class Sight {
  readonly log: HostingLog;
  readonly #collector: Collector;
  /** The known terminals, by the run of the hosting gateway and then by poi_id. */
  readonly #seen = new Map<string, Map<string, Seen>>();
  readonly #watchers = new Set<(poiId: string, screen: Screen) => void>();

  constructor({ realClock: clock, identifiers }: Runtime, hints: Hints, emulators: EmulatorServer) {
    this.log = new HostingLog(emulators);
    this.#collector = new Collector({
      hints,
      clock,
      subject,
      take: (page) => this.#take(page),
      done() {},
      gone: (run) => void this.#seen.delete(run),
      wanted: () => this.#watchers.size > 0,
    });
    offer(hints, subject, identifiers.next(), async (after) => {
      await this.log.show();
      return this.log.after(after);
    });
  }

  /** Resolves once everything that is seen is up to date. */
  look(): Promise<void> {
    return this.#collector.now();
  }

  /**
   * The state of a terminal at the last look. If several gateways have the terminal, the emulator that began to host it
   * last counts.
   */
  of(poiId: string): Seen | undefined {
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

  /** One terminal of each emulator at another gateway. */
  representatives(): string[] {
    return [...this.#seen.values()].flatMap((terminals) => [
      ...new Map([...terminals].map(([poiId, { emulator }]) => [emulator, poiId])).values(),
    ]);
  }

  /** Calls `watcher` with every screen from now on; returns a function that stops this. */
  watch(watcher: (poiId: string, screen: Screen) => void): () => void {
    this.#watchers.add(watcher);
    void this.look();
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
