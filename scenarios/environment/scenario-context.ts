import { ApiError } from '../../client/api-client.ts';
import { type ControlClient, createControlClient } from '../../client/control-client.ts';
import type { Screen } from '../../client/openapi-types.ts';
import type { Clock } from '../../shared/clock.ts';
import type { InFlight } from '../../shared/in-flight.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Stack } from '../../stack/index.ts';
import { type HttpAnswer, HttpExchange, type HttpRequest } from './http-exchange.ts';
import type { ScenarioTime } from './scenario-time.ts';
import { Scheduler } from './scheduler.ts';

/** A terminal that a scenario acts on. */
export interface EnvironmentTerminal {
  /** What the scenario calls it. */
  readonly name: string;
  readonly poiId: string;
  /** terminalId in paths. */
  readonly identifier: string;
}

/** Where a scenario happens: a stack of its own, or a place on a gateway that runs elsewhere. */
export interface TestEnvironment {
  readonly url: string;
  readonly controlToken: string;
  readonly tokens: { readonly sandbox: string; readonly production?: string };
  readonly accountId: string;
  /** The account's, ISO 4217. */
  readonly currency: string;
  readonly terminals: readonly EnvironmentTerminal[];
  readonly time: ScenarioTime;
  /** Real milliseconds since setting it up began. */
  tookMs(): number;
  /** Begins every request id, so that scenarios on one gateway do not mix theirs up. */
  readonly prefix: string;
  /** The stack, where it is in this process. */
  readonly stack: Stack | undefined;
  /** Where a point of sale says what it believes, if the stack is not in this process. */
  readonly beliefsUrl?: string;
  /** Requests go to no other host, whatever address a step gives. */
  readonly staysHere?: boolean;
  /** The gateway's clock and what is in flight, where it is in this process; else real time, and nothing counted. */
  readonly clock: Clock;
  readonly inFlight: InFlight;
  /** What the gateway calls a contact, saved card or bank account that the scenario calls so. */
  idOf(name: string): string;
  /** Counts a request of ours as in flight. */
  count(requestId: string, over: Promise<void>): void;
  /** Journal entries after `seq`. */
  journalSince(seq: number): Promise<readonly JournalEntry[]>;
  /** Stops the gateway and starts it again on the same data and port; undefined where that cannot be done. */
  restartGateway: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** A step cannot be done as things are: no such terminal, an action is refused. */
export class ScenarioError extends Error {}

/** What the verbs act on: requests to the gateway, terminals by name, waiting, time. */
export class ScenarioContext {
  readonly environment: TestEnvironment;
  readonly scheduler: Scheduler;
  /** The gateway's control API. A call that is refused fails the step that made it. */
  readonly control: ControlClient;
  /** The journal's entries after this belong to the scenario. */
  readonly firstSeq: number;
  #requests = 0;

  constructor(environment: TestEnvironment, options: { oneAtATime?: boolean; firstSeq?: number } = {}) {
    this.environment = environment;
    const { url, controlToken: token } = environment;
    this.control = createControlClient({ url, token, fetch: (request) => this.#fetchCounted(request) });
    this.scheduler = new Scheduler(environment.time, options);
    this.firstSeq = options.firstSeq ?? 0;
  }

  get time(): ScenarioTime {
    return this.environment.time;
  }

  /** The terminal of that name, poi_id or identifier; the first one without. */
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

  /** Sends a request and comes back when it has arrived, not when it is answered. */
  async send(request: HttpRequest): Promise<HttpExchange> {
    const exchange = this.#begin(request);
    await this.time.settled();
    if (!this.time.virtual) await this.#arrived(exchange);
    return exchange;
  }

  /** Waits for an answer that comes by itself; in real time for a second, since a fault may hold it back. */
  async answered(exchange: HttpExchange): Promise<void> {
    if (this.time.virtual) return; // whatever comes by itself has come
    const over = () => (exchange.answer || exchange.broken ? true : undefined);
    await this.scheduler.until(over, 1_000).catch(() => {});
  }

  /** What a terminal shows; undefined where its screen cannot be seen, as while it is away. */
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

  /** Sends a request and waits for its answer, which comes without any further action. @throws ScenarioError without one */
  async ask(request: HttpRequest): Promise<HttpAnswer> {
    const exchange = this.#begin(request);
    await exchange.over;
    if (!exchange.answer) throw new ScenarioError(`${request.method} ${request.path}: ${exchange.broken}`);
    return exchange.answer;
  }

  /** The journal's entries of this scenario so far. */
  journal(): Promise<readonly JournalEntry[]> {
    return this.environment.journalSince(this.firstSeq);
  }

  /** A call of the control client, counted as every request is. */
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

  /** @throws ScenarioError if the address is of another host, and the scenario may reach none */
  #begin(request: HttpRequest): HttpExchange {
    const { url, prefix, staysHere } = this.environment;
    const { origin } = new URL(request.path, url);
    if (staysHere && origin !== new URL(url).origin)
      throw new ScenarioError(`${origin} is not the gateway, and this scenario reaches no other host`);
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

/** The answer once its body is here as well. @throws ScenarioError where there is none */
async function wholeAnswer(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    const body = await response.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, response);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ScenarioError(
      `${request.method} ${new URL(request.url).pathname}: ${(cause as Error).message}`,
    );
  }
}
