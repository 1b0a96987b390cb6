import { hostname } from 'node:os';
import type { Clock } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { SharedRequestCounter } from '../http/rate-limit.ts';
import { agreeOnSecrets } from '../store/shared-secrets.ts';
import type { GatewayStore } from '../store/store.ts';
import { answerCaughtUpQuestions, waitUntilOthersCaughtUp } from './caught-up.ts';
import { ClusterChangeReader } from './change-feed.ts';
import { type ClusterTimings, defaultClusterTimings } from './cluster-timings.ts';
import { runExclusivelyAmongGateways } from './exclusive-work.ts';
import { GatewayMembership } from './gateways.ts';
import { type HintBus, noHints } from './hints/hints.ts';
import { openNatsHintBus } from './hints/open-hints.ts';
import { LeaseManager } from './leases.ts';
import { TerminalOwnership } from './ownership.ts';
import { warnIfControlTokensDiffer } from './same-control-token.ts';
import { makeSharedRequestCounter } from './shared-request-counter.ts';

export interface ClusterOptions {
  /**
   * The name by which people recognise this gateway. By default, it consists of the host's name and the process number.
   */
  name?: string;
  paces?: ClusterTimings;
  /** The address of a NATS server. Through this server, the gateways tell each other at once what has changed. */
  nats?: string;
}

/**
 * The parts that a gateway needs to work with the other gateways of its database. If the data are in SQLite, there is
 * no cluster.
 */
export interface Cluster {
  readonly name: string;
  readonly paces: ClusterTimings;
  readonly gateways: GatewayMembership;
  /**
   * Decides which kinds of shared work this gateway does for all gateways. For example, one gateway sends the webhooks
   * of all gateways.
   */
  readonly leases: LeaseManager;
  readonly ownership: TerminalOwnership;
  /** The database's clock. All times that several gateways compare come from this clock. */
  readonly clock: Clock;
  /**
   * Sends messages to the other gateways. If a message is lost, the receiver finds the change in the database a little
   * later.
   */
  readonly hints: HintBus;
  /** Keeps this gateway's memory up to date with the changes of other gateways. */
  readonly feed: ClusterChangeReader;
  /** Counts the requests that a caller sends to all gateways, as one number. */
  readonly countTogether: SharedRequestCounter;
  /** Warns if another gateway has a different control token. */
  compareControlTokens(controlToken: string): Promise<void>;
  /**
   * Reads everything that the other gateways have stored, and then runs `work`. While `work` runs, no other gateway of
   * the database runs its own `work`.
   */
  runExclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Tells the other gateways that this one is ending. */
  close(): Promise<void>;
}

/** Registers this gateway with the other gateways of its PostgreSQL database (docs/decisions/0022). */
export async function openCluster(
  runtime: Runtime,
  store: GatewayStore,
  options: ClusterOptions = {},
): Promise<Cluster> {
  const { name = `${hostname()}-${process.pid}`, paces = defaultClusterTimings, nats } = options;
  const hints =
    nats === undefined ? noHints : await openNatsHintBus(nats, await secretOf(store, runtime), runtime);
  try {
    const gateways = await GatewayMembership.register({ runtime, store, name, paces });
    const leases = new LeaseManager({ runtime, store, paces, gateways, hints });
    const feed = await ClusterChangeReader.open({
      runtime,
      store,
      everyMs: paces.beatMs,
      others: {
        tell: () => hints.publish('changes'),
        caughtUp: () => waitUntilOthersCaughtUp(gateways, hints, paces.beatMs),
      },
    });
    answerCaughtUpQuestions(hints, gateways, () => feed.current());
    const close = async () => {
      await leases.close();
      await hints.close();
      await feed.stop();
      await gateways.close();
    };
    const ownership = new TerminalOwnership(store, gateways);
    const runExclusively: Cluster['runExclusively'] = (work) =>
      runExclusivelyAmongGateways(store, async () => {
        await feed.takeIn();
        return work();
      });
    const { clock } = gateways;
    const countTogether = makeSharedRequestCounter(store);
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
      compareControlTokens: (token) =>
        warnIfControlTokensDiffer({ hints, name, journal: runtime.journal }, token),
      runExclusively,
      close,
    };
  } catch (error) {
    await hints.close();
    throw error;
  }
}

/** Returns the secret that only the gateways of this database know. */
async function secretOf(store: GatewayStore, { random }: Runtime): Promise<string> {
  const made = Buffer.from(random.bytes(32)).toString('base64url');
  return (await agreeOnSecrets(store, { hints: made })).hints;
}
