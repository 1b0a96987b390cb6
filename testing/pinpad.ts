import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Actors,
  checkExpectations,
  createActors,
  duration,
  durationMs,
  type EnvironmentTerminal,
  type Expectations,
  type Finding,
  findingsText,
  type HostBehaviour,
  type LinkCustomer,
  lintWithSales,
  type Pos,
  type Receivers,
  renderTrace,
  ScenarioContext,
  ScenarioError,
  type SentRequest,
  type ShopperActions,
  type TestEnvironment,
  type World,
} from '../scenarios/index.ts';
import type { Screen, ScreenState } from '../shared/emulator/screen.ts';
import type { JournalEntry, JournalKind } from '../shared/journal.ts';
import type { Sale } from '../shared/sales/sale.ts';
import { atCallSite } from './at-call-site.ts';
import { historyLines } from './history-lines.ts';

/** What a point of sale calls a sale. */
interface SaleNames {
  saleReferenceId?: string;
  idempotencyKey?: string;
}

/** A time: milliseconds, or text such as `150 s`, `2 min`, `48 h`. */
export type Duration = number | string;

/** @throws ScenarioError where it is none: time would move without end to a moment that never comes */
export function inMs(time: Duration): number {
  const { success, error } = duration.safeParse(typeof time === 'number' ? `${time} ms` : time);
  if (success) return typeof time === 'number' ? time : durationMs(time);
  throw new ScenarioError(`${time}: ${error.issues[0]?.message}, or milliseconds`);
}

/**
 * A gateway with emulated terminals for a test: what a point of sale talks to, and everything a test does around
 * it. The verbs are those of scenario files.
 */
export class Pinpad {
  /** The address of the payments API and of the control API. */
  readonly url: string;
  /** An API token of the sandbox environment. */
  readonly token: string;
  /** For what is under /control. */
  readonly controlToken: string;
  /**
   * Where a point of sale in another process says what it believes (PINPAD_BELIEFS_URL); undefined of a gateway that
   * runs elsewhere.
   */
  readonly beliefsUrl: string | undefined;
  /** Each with the name it was asked for by, its poi_id and its identifier. */
  readonly terminals: readonly EnvironmentTerminal[];
  /** A point of sale of the test's own. */
  readonly pos: Pos;
  /** Power, network, shoppers, account settings. */
  readonly world: World;
  /** A customer who opens payment links. */
  readonly customer: LinkCustomer;
  /** Receivers of webhooks on this machine: those of `webhooks` in the options, and those a test opens. */
  readonly webhooks: Receivers;
  /** Time; it stands still until it is moved, or a shopper waits for something that needs it. */
  readonly clock: { now(): number; pass(time: Duration): Promise<void>; readonly virtual: boolean };
  #environment: TestEnvironment;
  #context: ScenarioContext;
  #actors: Actors;
  #stop: () => void;
  /** The journal's last entry of the set-up. */
  #readyAt = 0;

  constructor(environment: TestEnvironment, options: { firstSeq?: number; stop?: () => void } = {}) {
    this.#environment = environment;
    this.#stop = options.stop ?? (() => {});
    this.#context = new ScenarioContext(environment, { oneAtATime: false, firstSeq: options.firstSeq ?? 0 });
    this.#actors = createActors(this.#context);
    this.url = environment.url;
    this.token = environment.tokens.sandbox;
    this.controlToken = environment.controlToken;
    this.beliefsUrl = environment.stack?.beliefs[0]?.url ?? environment.beliefsUrl;
    this.terminals = environment.terminals;
    this.pos = atCallSite(this.#actors.pos);
    this.world = atCallSite(this.#actors.world);
    this.webhooks = atCallSite(this.#actors.receivers);
    this.customer = atCallSite(this.#actors.customer);
    this.clock = atCallSite({
      virtual: environment.time.virtual,
      now: () => environment.time.now(),
      pass: async (time: Duration) => this.world.pass(inMs(time)),
    });
  }

  /** What happened up to here was its set-up, and is not the test's history. */
  static async isSetUp(pinpad: Pinpad): Promise<void> {
    pinpad.#readyAt = (await pinpad.#context.journal()).at(-1)?.seq ?? 0;
  }

  /** The actions at a terminal, by its name, poi_id or identifier; the first one without. */
  terminal(name?: string): ShopperActions {
    return atCallSite(this.#actors.actions(name));
  }

  /** terminalId in paths of the payments API. */
  terminalId(name?: string): string {
    return this.#context.terminal(name).identifier;
  }

  /** What the acquirer's host does with the next payment; undefined: as usual again. */
  host(
    behaviour: HostBehaviour | undefined,
    target?: { terminal?: string; payment?: string; always?: boolean },
  ): Promise<void> {
    return this.world.host(behaviour, target);
  }

  /** Waits until a terminal shows one of these states. */
  shows(states: ScreenState | readonly ScreenState[], terminal?: string): Promise<Screen> {
    return this.terminal(terminal).shows(...([states].flat() as ScreenState[]));
  }

  /**
   * Waits until everything expected is true, as `expect` in a scenario.
   *
   * @throws an Error that says what is different and what there is instead
   */
  async expect(
    expected: Expectations,
    options: { of?: SentRequest; terminal?: string; within?: Duration } = {},
  ): Promise<void> {
    const { of, terminal, within } = options;
    await checkExpectations(
      {
        context: this.#context,
        pos: this.pos,
        receivers: this.webhooks,
        customer: this.customer,
        of,
        terminal,
      },
      expected,
      within === undefined ? undefined : inMs(within),
    );
  }

  /** The journal's entries so far, of one kind or all. */
  async journal<Kind extends JournalKind>(kind?: Kind): Promise<JournalEntry<Kind>[]> {
    const entries = await this.#context.journal();
    return entries.filter((entry) => kind === undefined || entry.kind === kind) as JournalEntry<Kind>[];
  }

  /** What the point of sale tried to sell, the latest first: each sale with its requests, its payments and what was told (docs/sales.md). */
  async sales(filter: Partial<Pick<Sale, 'kind' | 'outcome' | 'told'>> & SaleNames = {}): Promise<Sale[]> {
    const query = { ...filter, accountId: this.#environment.accountId, limit: 1000 };
    return (await this.#context.control.GET('/control/sales', { params: { query } })).sales as Sale[];
  }

  /**
   * Says what the shop takes a sale for: `paid`, `notPaid` or `unknown`. The last one counts, and one that is wrong is a
   * finding of the sale.
   *
   * @throws an Error where no sale fits, or several do
   * @example
   * await pinpad.believes('paid', { saleReferenceId: 'order-1001', amount: 12.5, times: 1 });
   */
  async believes(
    believes: 'paid' | 'notPaid' | 'unknown',
    { of, ...sale }: SaleNames & { of?: SentRequest; payment?: string; amount?: number; times?: number },
  ): Promise<void> {
    const payment = sale.payment ?? (await of?.payment());
    const body = { ...sale, payment, accountId: this.#environment.accountId, believes };
    await this.#context.control.POST('/control/beliefs', { body });
  }

  /** Any call of the control API, without `/control`; it must succeed. */
  control<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
    return this.#context.control.call(method, `/control${path}`, body) as Promise<Body>;
  }

  /** Resolves when everything that happens without time passing has happened (virtual time). */
  settled(): Promise<void> {
    return this.#context.time.settled();
  }

  /** The last things that happened since it was set up, a line each: what one wants to read when a test fails. */
  async history(lines = 40): Promise<string> {
    const all = await this.#context.journal();
    const since = this.#readyAt;
    return historyLines(all.filter(({ seq }) => seq > since))
      .slice(-lines)
      .join('\n');
  }

  /** Everything that happened as one HTML page (docs/traces.md). */
  async trace(title = 'A test'): Promise<string> {
    return renderTrace({ title, entries: await this.#context.journal() });
  }

  /**
   * What one wants to know when a test has failed: the last things that happened, what {@link lint} finds, and the
   * trace, written into the folder that PINPAD_TRACES names, else `traces`.
   *
   * @param test its name: the trace's title and, of the letters and digits in it, the file's name
   * @returns lines to print
   */
  async report(test: string): Promise<string> {
    const folder = process.env.PINPAD_TRACES ?? 'traces';
    const file = join(folder, `${slug(test)}.html`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, await this.trace(test));
    const findings = await this.lint();
    return [
      `What happened in "${test}":`,
      await this.history(),
      ...(findings.length > 0 ? ['What the point of sale did wrong:', findingsText(findings)] : []),
      `trace: ${file}`,
    ].join('\n');
  }

  /**
   * What the point of sale under test does that will go wrong in the field (docs/lint.md). The requests of
   * {@link pos}, which are the test's own, do not count.
   *
   * @example
   * expect(await pinpad.lint()).toEqual([]);
   */
  async lint(): Promise<Finding[]> {
    const { prefix } = this.#environment;
    return lintWithSales(await this.#context.journal(), {
      ignore: (requestId) => requestId.startsWith(prefix),
    });
  }

  /** Stops everything and frees the port; payments still open are left as they are. */
  async close(): Promise<void> {
    this.#stop();
    await this.webhooks.close();
    await this.#environment.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function slug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 120);
}
