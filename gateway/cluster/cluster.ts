import { hostname } from 'node:os';
import type { Clock } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { CountTogether } from '../http/rate-limit.ts';
import { agreeOnSecrets } from '../store/shared-secrets.ts';
import type { Store } from '../store/store.ts';
import { aloneAmongGateways } from './alone.ts';
import { answerWhenRead, othersCaughtUp } from './caught-up.ts';
import { ChangeFeed } from './change-feed.ts';
import { countingTogether } from './count-together.ts';
import { Gateways } from './gateways.ts';
import { type Hints, noHints } from './hints/hints.ts';
import { openHints } from './hints/open-hints.ts';
import { Leases } from './leases.ts';
import { Ownership } from './ownership.ts';
import { type Paces, usualPaces } from './paces.ts';
import { compareControlTokens } from './same-control-token.ts';

export interface ClusterOptions {
  /**
   * The gateway's name for people, who distinguish gateways by it. The default is the name of the host and the number
   * of the process.
   */
  name?: string;
  paces?: Paces;
  /** The address of a NATS, over which gateways learn each other's news at once. */
  nats?: string;
}

/**
 * The parts by which a gateway works with the other gateways of its database. There is no cluster if the data is in
 * SQLite.
 */
export interface Cluster {
  readonly name: string;
  readonly paces: Paces;
  readonly gateways: Gateways;
  /** The leases on work that falls due. */
  readonly leases: Leases;
  readonly ownership: Ownership;
  /** The database's clock, which decides everything that concerns several gateways. */
  readonly clock: Clock;
  /** The fast way to the other gateways; nothing depends on it. */
  readonly hints: Hints;
  /** Updates what this gateway keeps in memory with the changes of other gateways. */
  readonly feed: ChangeFeed;
  /** Counts a caller's requests at all gateways. */
  readonly countTogether: CountTogether;
  /** Warns if another gateway has another control token. */
  compareControlTokens(controlToken: string): Promise<void>;
  /** Runs `work` while no other gateway does, on data that include what the other gateways stored before. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Tells the other gateways that this one ends. */
  close(): Promise<void>;
}

/** Registers this gateway with the other gateways of its PostgreSQL database (docs/decisions/0022). */
export async function openCluster(
  runtime: Runtime,
  store: Store,
  options: ClusterOptions = {},
): Promise<Cluster> {
  const { name = `${hostname()}-${process.pid}`, paces = usualPaces, nats } = options;
  const hints = nats === undefined ? noHints : await openHints(nats, await secretOf(store, runtime), runtime);
  try {
    const gateways = await Gateways.register({ runtime, store, name, paces });
    const leases = new Leases({ runtime, store, paces, gateways, hints });
    const feed = await ChangeFeed.open({
      runtime,
      store,
      everyMs: paces.beatMs,
      others: {
        tell: () => hints.publish('changes'),
        caughtUp: () => othersCaughtUp(gateways, hints, paces.beatMs),
      },
    });
    answerWhenRead(hints, gateways, () => feed.current());
    const close = async () => {
      await leases.close();
      await hints.close();
      await feed.stop();
      await gateways.close();
    };
    const ownership = new Ownership(store, gateways);
    const alone: Cluster['alone'] = (work) =>
      aloneAmongGateways(store, async () => {
        await feed.takeIn();
        return work();
      });
    const { clock } = gateways;
    const countTogether = countingTogether(store);
    return {
      name,
      paces,
      gateways,
      leases,
      ownership,
      clock,
      hints,
      feed,
      countTogether,
      compareControlTokens: (token) => compareControlTokens({ hints, name, journal: runtime.journal }, token),
      alone,
      close,
    };
  } catch (error) {
    await hints.close();
    throw error;
  }
}

/** Gives the secret that only the gateways of this database know. */
async function secretOf(store: Store, { random }: Runtime): Promise<string> {
  const made = Buffer.from(random.bytes(32)).toString('base64url');
  return (await agreeOnSecrets(store, { hints: made })).hints;
}
