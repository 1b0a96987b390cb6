import { ApiError } from '../../client/api-client.ts';
import { type ControlClient, createControlClient } from '../../client/control-client.ts';
import type { Screen } from '../../client/openapi-types.ts';
import type { Clock } from '../../shared/clock.ts';
import { explainConnectionError } from '../../shared/connection-error.ts';
import type { InFlightTracker } from '../../shared/in-flight.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Stack } from '../../stack/index.ts';
import { type HttpAnswer, HttpExchange, type HttpRequest } from './http-exchange.ts';
import type { ScenarioClock } from './scenario-time.ts';
import { BranchScheduler } from './scheduler.ts';

/** A terminal that a scenario acts on. */
export interface EnvironmentTerminal {
  /** The terminal's name in the scenario. */
  readonly name: string;
  readonly poiId: string;
  /** The value of terminalId in the paths of requests. */
  readonly identifier: string;
}

/**
 * The environment of a scenario. It is a gateway with terminals that only this scenario uses, or an account at a
 * gateway that runs elsewhere.
 */
export interface TestEnvironment {
  readonly url: string;
  readonly controlToken: string;
  readonly tokens: { readonly sandbox: string; readonly production?: string };
  readonly accountId: string;
  /** The account's currency, ISO 4217. */
  readonly currency: string;
  readonly terminals: readonly EnvironmentTerminal[];
  readonly time: ScenarioClock;
  /** Returns how many real milliseconds have passed since the set-up began. */
  tookMs(): number;
  /**
   * The beginning of the id of each request. It differs between scenarios, so that scenarios at one gateway can tell
   * their requests apart.
   */
  readonly prefix: string;
  /** The gateway and terminals, if they are in this process. */
  readonly stack?: Stack;
  /**
   * The address to which a point of sale reports its payments. For each payment, it reports the outcome that it
   * believes. Absent if the gateway is in this process.
   */
  readonly beliefsUrl?: string;
  /** Whether every request to another host is refused, even if a step names that host's address. */
  readonly staysHere?: boolean;
  /**
   * The gateway's clock, if the gateway is in this process. Otherwise this is a clock of real time, and `inFlight`
   * counts nothing.
   */
  readonly clock: Clock;
  readonly inFlight: InFlightTracker;
  /** Returns the gateway's identifier of a contact, saved card or bank account. `name` is the name in the scenario. */
  idOf(name: string): string;
  /** Adds a request of pinpad itself to the requests in flight. */
  count(requestId: string, over: Promise<void>): void;
  /** Returns the journal's entries after `seq`. */
  journalSince(seq: number): Promise<readonly JournalEntry[]>;
  /**
   * Stops the gateway and starts it again with the same data and port. Absent if the gateway of this environment
   * cannot be restarted.
   */
  restartGateway?(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The error when a step cannot be carried out now, for example because there is no such terminal or an action is
 * refused.
 *
 * @example
 * await expect(pinpad.terminal().remove()).rejects.toThrow(ScenarioError); // there is no card in it
 */
export class ScenarioError extends Error {}

/** The things that the steps of a scenario use: requests to the gateway, terminals by name, waiting and time. */
export class ScenarioContext {
  readonly environment: TestEnvironment;
  readonly scheduler: BranchScheduler;
  /** A client of the gateway's control API. If the gateway refuses a call, the step that made the call fails. */
  readonly control: ControlClient;
  /** The seq of the last journal entry before the scenario's own entries. */
  readonly firstSeq: number;
  #requests = 0;

  constructor(environment: TestEnvironment, options: { oneAtATime?: boolean; firstSeq?: number } = {}) {
    this.environment = environment;
    const { url, controlToken: token } = environment;
    this.control = createControlClient({ url, token, fetch: (request) => this.#fetchCounted(request) });
    this.scheduler = new BranchScheduler(environment.time, options);
    this.firstSeq = options.firstSeq ?? 0;
  }

  get time(): ScenarioClock {
    return this.environment.time;
  }

  /** Returns the terminal with this name, poi_id or identifier. If no name is given, returns the first terminal. */
  terminal(name?: string): EnvironmentTerminal {
    const { terminals } = this.environment;
    const found =
      name === undefined
        ? terminals[0]
        : terminals.find((one) => [one.name, one.poiId, one.identifier].includes(name));
    if (found) return found;
    throw new ScenarioError(
      `unknown terminal ${name ?? ''}; known terminals: ${terminals.map((one) => one.name).join(', ') || 'none'}`,
    );
  }

  /** Sends a request. Resolves when the request has arrived, before it is answered. */
  async send(request: HttpRequest): Promise<HttpExchange> {
    const exchange = this.#begin(request);
    await this.time.settled();
    if (!this.time.virtual) await this.#arrived(exchange);
    return exchange;
  }

  /**
   * Waits for an answer that the gateway can give without any further action of the scenario. In real time, waits for
   * at most one second, because a fault may delay the answer.
   */
  async answered(exchange: HttpExchange): Promise<void> {
    if (this.time.virtual) return; // in virtual time, the answer has already arrived
    const over = () => (exchange.answer || exchange.broken ? true : undefined);
    await this.scheduler.until(over, 1_000).catch(() => {});
  }

  /**
   * Returns the screen of a terminal. Undefined if the screen is not available, for example while the terminal is not
   * connected.
   */
  async screenOf(poiId: string): Promise<Screen | undefined> {
    try {
      return await this.control.GET('/control/terminals/{terminalId}/screen', {
        params: { path: { terminalId: poiId } },
      });
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  /**
   * Sends a request and waits for its answer. Call this only if the gateway can answer without any further action of
   * the scenario.
   *
   * @throws ScenarioError if there is no answer
   */
  async ask(request: HttpRequest): Promise<HttpAnswer> {
    const exchange = this.#begin(request);
    await exchange.over;
    if (!exchange.answer) throw new ScenarioError(`${request.method} ${request.path}: ${exchange.broken}`);
    return exchange.answer;
  }

  /** Returns the journal's entries of this scenario so far. */
  journal(): Promise<readonly JournalEntry[]> {
    return this.environment.journalSince(this.firstSeq);
  }

  /** Makes a call of the control client. Like every other request, the call counts as in flight. */
  async #fetchCounted(request: Request): Promise<Response> {
    const requestId = `${this.environment.prefix}${++this.#requests}`;
    request.headers.set('request-id', requestId);
    const answer = wholeAnswer(request);
    this.environment.count(
      requestId,
      answer.then(
        () => {},
        () => {},
      ),
    );
    return answer;
  }

  /**
   * @throws ScenarioError if the request goes to another host although the scenario may reach only the gateway's host
   */
  #begin(request: HttpRequest): HttpExchange {
    const { url, prefix, staysHere } = this.environment;
    const { origin } = new URL(request.path, url);
    if (staysHere && origin !== new URL(url).origin)
      throw new ScenarioError(`${origin} is not the gateway, and this scenario can reach no other host`);
    const requestId = `${prefix}${++this.#requests}`;
    const exchange = new HttpExchange(request, requestId, this.time.now(), url);
    this.environment.count(requestId, exchange.over);
    return exchange;
  }

  async #arrived(exchange: HttpExchange): Promise<void> {
    await this.scheduler.until(async () => {
      if (exchange.answer || exchange.broken) return true;
      const entries = await this.journal();
      return entries.some(({ data }) => 'requestId' in data && data.requestId === exchange.requestId)
        ? true
        : undefined;
    }, 10_000);
  }
}

/**
 * Sends a request, and returns the answer together with its whole body. @throws ScenarioError if there is no answer
 */
async function wholeAnswer(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    const body = await response.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, response);
  } catch (error) {
    throw new ScenarioError(
      `${request.method} ${new URL(request.url).pathname}: ${explainConnectionError(error)}`,
    );
  }
}
