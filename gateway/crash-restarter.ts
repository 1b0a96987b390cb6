import { exitWithReason } from '../shared/database/end-process.ts';
import type { Runtime } from '../shared/runtime.ts';
import { EndableRuntime } from '../shared/runtime-life.ts';
import type { LinkServer } from '../shared/transport/link-server.ts';
import { findForeignTerminalRefusal } from './control/crash-refusal.ts';
import type { GatewayMomentPlans } from './moments/gateway-moments.ts';
import { type Services, stopServices } from './services.ts';

/**
 * The maximum time in ms for which requests wait after a crash. They wait until the emulator of the terminals has
 * connected again. There is a maximum because the emulator may have been closed meanwhile.
 */
const longestEmulatorWaitMs = 5_000;

interface LivesParts {
  /**
   * The parts that all lives of the gateway share: the clock, random numbers and the journal. After a crash, the
   * gateway begins a new life.
   */
  readonly runtime: Runtime;
  readonly moments: GatewayMomentPlans;
  /** The servers on the gateway's ports. */
  readonly http: { die(): void; begin(services: Services, runtime: Runtime): void };
  readonly links: LinkServer;
  /** The first life; undefined if the gateway cannot crash and start again. */
  readonly life: EndableRuntime | undefined;
  /** Opens the services of a new life, with the data that the former life left on disk. */
  open(life: EndableRuntime): Promise<Services>;
}

/**
 * The lives of a gateway in one process. If a test has planned a crash, the gateway stops as if its process were
 * killed: it writes nothing more, and its connections end without an answer. Then the gateway opens its database file
 * and starts again on the same port (B282).
 */
export class CrashRestarter {
  readonly #parts: LivesParts;
  #now: Services;
  #life: EndableRuntime | undefined;
  /** Resolves when the gateway has started again after a crash. */
  #restarting: Promise<void> | undefined;
  /** Resolves when the next life must stop waiting for the terminals. */
  #stopWaiting = Promise.withResolvers<void>();

  constructor(parts: LivesParts, first: Services) {
    this.#parts = parts;
    this.#now = first;
    this.#life = parts.life;
    this.#serve(first);
    parts.moments.presentLife = parts.life;
    if (this.#life) parts.moments.crash = (at) => this.#die(at);
  }

  /**
   * The services of the present life. Until the next life has opened its services, these are the services of the
   * former life.
   */
  get now(): Services {
    return this.#now;
  }

  /** Prevents further crashes. Gives the services of the last life. */
  async last(): Promise<Services> {
    this.#parts.moments.crash = undefined;
    this.#parts.moments.gate.close();
    this.#stopWaiting.resolve();
    await this.#restarting;
    return this.#now;
  }

  #die(at: string): void {
    const { runtime, moments, http, links } = this.#parts;
    const former = this.#now;
    const refusal = findForeignTerminalRefusal(former);
    if (refusal !== undefined)
      return runtime.journal.add('warning', { message: `the crash at ${at} was left out: ${refusal}` });
    const { emulatorServer } = former;
    const hosted = emulatorServer.hostedTerminals().filter((poiId) => emulatorServer.hostsInProcess(poiId));
    this.#life?.end();
    this.#stopWaiting = Promise.withResolvers();
    const released = former.store.abandon();
    moments.gate.close();
    http.die();
    links.die();
    stopServices(former);
    void former.deliveries.stop(); // breaks off webhooks that are being sent
    runtime.journal.add('gateway.crashed', { at });
    const begun = runtime.inFlight.begin();
    this.#restarting = released
      .then(() => this.#startAgain(hosted))
      .catch((error: unknown) => exitWithReason(`the gateway cannot start again after its crash: ${error}`))
      .finally(begun);
  }

  async #startAgain(hosted: readonly string[]): Promise<void> {
    const { runtime, moments, http, links, open } = this.#parts;
    const { url } = this.#now.address;
    const life = new EndableRuntime(runtime);
    const services = await open(life);
    services.address.url = url;
    this.#now = services;
    this.#life = life;
    moments.presentLife = life;
    this.#serve(services);
    links.begin(life.runtime);
    await this.#untilEmulatorsHost(services, hosted);
    http.begin(services, life.runtime);
  }

  /**
   * Waits until the control API can reach the terminals of this process again. Until then all requests wait, as they
   * do at a start of the gateway (B317).
   */
  async #untilEmulatorsHost({ emulatorServer }: Services, hosted: readonly string[]): Promise<void> {
    const { realClock } = this.#parts.runtime;
    const limit = realClock.setTimeout(this.#stopWaiting.resolve, longestEmulatorWaitMs);
    await Promise.race([emulatorServer.hosting(hosted), this.#stopWaiting.promise]);
    realClock.clearTimeout(limit);
  }

  #serve({ poi, emulatorServer }: Services): void {
    this.#parts.links.serve('/poi', poi);
    this.#parts.links.serve('/emulator', emulatorServer);
  }
}
