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
  /** Begins every request id, so that scenarios on one gateway do not mix theirs up. */
  readonly prefix: string;
  /** The stack, where it is in this process. */
  readonly stack: Stack | undefined;
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
  /** The journal's entries after this belong to the scenario. */
  readonly firstSeq: number;
  #requests = 0;

  constructor(environment: TestEnvironment, options: { oneAtATime?: boolean; firstSeq?: number } = {}) {
    this.environment = environment;
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
      `there is no terminal ${name ?? ''}; there are: ${terminals.map((one) => one.name).join(', ') || 'none'}`,
    );
  }

  /** Sends a request and comes back when it has arrived, not when it is answered. */
  async send(request: HttpRequest): Promise<HttpExchange> {
    const requestId = `${this.environment.prefix}${++this.#requests}`;
    const exchange = new HttpExchange(request, requestId, this.time.now(), this.environment.url);
    this.environment.count(requestId, exchange.over);
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

  /** A call of the control API; answers of 400 and above are given back, not thrown. */
  async control<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<HttpAnswer & { body: Body }> {
    const answer = await this.ask({
      method,
      path: `/control${path}`,
      headers: {
        authorization: `Bearer ${this.environment.controlToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
    });
    return answer as HttpAnswer & { body: Body };
  }

  /** Sends a request and waits for its answer, which comes without anybody doing anything. @throws ScenarioError without one */
  async ask(request: HttpRequest): Promise<HttpAnswer> {
    const requestId = `${this.environment.prefix}${++this.#requests}`;
    const exchange = new HttpExchange(request, requestId, this.time.now(), this.environment.url);
    this.environment.count(requestId, exchange.over);
    await exchange.over;
    if (!exchange.answer) throw new ScenarioError(`${request.method} ${request.path}: ${exchange.broken}`);
    return exchange.answer;
  }

  /** A call of the control API that must succeed. @throws ScenarioError with the gateway's own words */
  async mustControl<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.control<Body>(method, path, body);
    if (answer.status < 400) return answer.body;
    const { error, message, details } = (answer.body ?? {}) as Record<string, unknown>;
    throw new ScenarioError(
      `${method} /control${path} answers ${answer.status} ${error}: ${details ? JSON.stringify(details) : message}`,
    );
  }

  /** The journal's entries of this scenario so far. */
  journal(): Promise<readonly JournalEntry[]> {
    return this.environment.journalSince(this.firstSeq);
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
