import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Actors,
  createActors,
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
  type SentRequest,
  type ShopperActions,
  type TestEnvironment,
  type World,
  waitForExpectations,
} from '../scenarios/index.ts';
import type { Screen, ScreenState } from '../shared/emulator/screen.ts';
import type { JournalEntry, JournalKind } from '../shared/journal.ts';
import type { Sale } from '../shared/sales/sale.ts';
import { withErrorsAtCallSite } from './at-call-site.ts';
import { historyLines } from './history-lines.ts';
import { type Duration, durationInMs, type TestClock } from './test-time.ts';
import { traceFileName } from './trace-file-name.ts';

/** The names by which a point of sale identifies a sale. */
interface SaleNames {
  saleReferenceId?: string;
  idempotencyKey?: string;
}

/**
 * A gateway with emulated terminals for a test. It has the addresses and tokens that a point of sale needs, and methods
 * for everything that a test can do. The methods have the same names as the actions in scenario files. `startPinpad`
 * and `attachPinpad` return such a gateway.
 *
 * @example
 * const sellAndTap = async (pinpad: Pinpad) => {
 *   await pinpad.pos.pay({ amount: 12.5 });
 *   await pinpad.terminal().tap('visa-credit');
 * };
 */
export class Pinpad {
  /** The address of the payments API and of the control API. */
  readonly url: string;
  /** An API token of the sandbox environment. */
  readonly token: string;
  /** The token for calls under /control. */
  readonly controlToken: string;
  /**
   * The address at which a point of sale in another process states what it believes (PINPAD_BELIEFS_URL); undefined for
   * a gateway that runs elsewhere.
   */
  readonly beliefsUrl: string | undefined;
  /** The terminals, each with the name that the test gave it, its poi_id and its identifier. */
  readonly terminals: readonly EnvironmentTerminal[];
  /** A point of sale that belongs to the test. */
  readonly pos: Pos;
  /** Controls power, network, shoppers and account settings. */
  readonly world: World;
  /** A customer who opens payment links. */
  readonly customer: LinkCustomer;
  /** Receivers of webhooks on this machine: those of `webhooks` in the options, and those that a test opens. */
  readonly webhooks: Receivers;
  /**
   * The test's clock. Time stands still until the test moves it, or until a shopper waits for something that takes
   * time.
   */
  readonly clock: TestClock;
  #environment: TestEnvironment;
  #context: ScenarioContext;
  #actors: Actors;
  #stop: () => void;
  /** The `seq` of the last journal entry that belongs to the set-up. */
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
    this.pos = withErrorsAtCallSite(this.#actors.pos);
    this.world = withErrorsAtCallSite(this.#actors.world);
    this.webhooks = withErrorsAtCallSite(this.#actors.receivers);
    this.customer = withErrorsAtCallSite(this.#actors.customer);
    this.clock = withErrorsAtCallSite({
      virtual: environment.time.virtual,
      now: () => environment.time.now(),
      pass: async (time: Duration) => this.world.pass(durationInMs(time)),
    });
  }

  /**
   * Marks the end of the set-up: entries up to here are not part of the test's history.
   *
   * @internal
   */
  static async isSetUp(pinpad: Pinpad): Promise<void> {
    pinpad.#readyAt = (await pinpad.#context.journal()).at(-1)?.seq ?? 0;
  }

  /**
   * Returns the actions for a terminal. `name` is the terminal's name, poi_id or identifier. Without a name, returns
   * the actions for the first terminal.
   *
   * @throws ScenarioError if there is no such terminal
   *
   * @example
   * await pinpad.terminal().tap('visa-credit');
   */
  terminal(name?: string): ShopperActions {
    return withErrorsAtCallSite(this.#actors.actions(name));
  }

  /**
   * Returns the terminalId for paths of the payments API.
   *
   * @throws ScenarioError if there is no such terminal
   *
   * @example
   * const path = `/terminals/${pinpad.terminalId()}/payment-request`;
   */
  terminalId(name?: string): string {
    return this.#context.terminal(name).identifier;
  }

  /**
   * Sets what the acquirer's host does with the next payment. If undefined, the host decides as usual again. `delayMs`
   * is in milliseconds of pinpad's clock.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses the setting
   *
   * @example
   * await pinpad.host({ type: 'late', delayMs: 20_000 });
   */
  host(
    behaviour: HostBehaviour | undefined,
    target?: { terminal?: string; payment?: string; always?: boolean },
  ): Promise<void> {
    return this.world.host(behaviour, target);
  }

  /**
   * Waits until a terminal shows one of these states, and resolves to the screen.
   *
   * @throws ScenarioError if the terminal shows none of these states within 10 s of pinpad's clock
   *
   * @example
   * await pinpad.pos.pay({ amount: 12.5, tip: true });
   * await pinpad.shows(['tip', 'presentCard']);
   */
  shows(states: ScreenState | readonly ScreenState[], terminal?: string): Promise<Screen> {
    return this.terminal(terminal).shows(...([states].flat() as ScreenState[]));
  }

  /**
   * Waits until all expectations are true, like `expect` in a scenario. Gives up after 5 s of pinpad's clock, or after `within`.
   *
   * @throws ExpectationError that says which value differs, and what the value is instead
   *
   * @example
   * await pinpad.expect({ outcome: 'success' }, { within: '2 min' });
   */
  async expect(
    expected: Expectations,
    options: { of?: SentRequest; terminal?: string; within?: Duration } = {},
  ): Promise<void> {
    const { of, terminal, within } = options;
    await waitForExpectations(
      {
        context: this.#context,
        pos: this.pos,
        receivers: this.webhooks,
        customer: this.customer,
        of,
        terminal,
      },
      expected,
      within === undefined ? undefined : durationInMs(within),
    );
  }

  /**
   * Resolves to the journal's entries so far, of one kind or of all kinds.
   *
   * @example
   * const warnings = await pinpad.journal('warning');
   */
  async journal<Kind extends JournalKind>(kind?: Kind): Promise<JournalEntry<Kind>[]> {
    const entries = await this.#context.journal();
    return entries.filter((entry) => kind === undefined || entry.kind === kind) as JournalEntry<Kind>[];
  }

  /**
   * Resolves to the sales that the point of sale tried to make, the latest first. Each sale has its requests, its
   * payments, and the outcome that the point of sale was told (docs/sales.md).
   *
   * @example
   * const [latest] = await pinpad.sales({ saleReferenceId: 'order-1001' });
   */
  async sales(filter: Partial<Pick<Sale, 'kind' | 'outcome' | 'told'>> & SaleNames = {}): Promise<Sale[]> {
    const query = { ...filter, accountId: this.#environment.accountId, limit: 1000 };
    return (await this.#context.control.GET('/control/sales', { params: { query } })).sales as Sale[];
  }

  /**
   * States what the shop believes about a sale: `paid`, `notPaid` or `unknown`. `amount` is in major units. `times` is
   * how often the shop acted on the sale. Lint reports the last statement about a sale if that statement is wrong.
   *
   * @throws ApiError if no sale has these names, or if several sales have them
   *
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

  /**
   * Makes any call of the control API, and resolves to the body of the answer. `path` has no `/control` at its
   * beginning.
   *
   * @throws ApiError if the gateway refuses the call
   *
   * @example
   * const books = await pinpad.control<{ agree: boolean }>('GET', '/books');
   */
  control<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
    return this.#context.control.call(method, `/control${path}`, body) as Promise<Body>;
  }

  /**
   * If time is virtual, resolves when everything has happened that can happen before time moves again.
   *
   * @example
   * await pinpad.settled();
   */
  settled(): Promise<void> {
    return this.#context.time.settled();
  }

  /**
   * Resolves to the last events since the set-up, one line for each. Read these lines when a test fails.
   *
   * @example
   * console.log(await pinpad.history(20));
   */
  async history(lines = 40): Promise<string> {
    const all = await this.#context.journal();
    const since = this.#readyAt;
    return historyLines(all.filter(({ seq }) => seq > since))
      .slice(-lines)
      .join('\n');
  }

  /**
   * Resolves to an HTML page that shows everything that happened (docs/traces.md).
   *
   * @example
   * const html = await pinpad.trace('A declined card');
   */
  async trace(title = 'A test'): Promise<string> {
    return renderTrace({ title, entries: await this.#context.journal() });
  }

  /**
   * Writes the trace of a failed test into the folder that PINPAD_TRACES names, or else into `traces`. Resolves to a
   * text with the last events, the findings of {@link lint}, and the name of the trace's file.
   *
   * @param test the test's name, which is the trace's title. Its letters and digits are the name of the trace's file
   *
   * @returns lines to print
   *
   * @example
   * console.error(await pinpad.report('a declined card'));
   */
  async report(test: string): Promise<string> {
    const folder = process.env.PINPAD_TRACES ?? 'traces';
    const file = join(folder, traceFileName(test));
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, await this.trace(test));
    const findings = await this.lint();
    return [
      `What happened in "${test}":`,
      await this.history(),
      ...(findings.length > 0 ? ['Mistakes of the point of sale:', findingsText(findings)] : []),
      `trace: ${file}`,
    ].join('\n');
  }

  /**
   * Resolves to those mistakes of the point of sale under test that would do harm in a real shop (docs/lint.md).
   * Ignores the requests of {@link pos}, because the test itself sends them.
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

  /**
   * Stops everything and frees the port. Payments that are still open stay open.
   *
   * @example
   * await pinpad.close();
   */
  async close(): Promise<void> {
    this.#stop();
    await this.webhooks.close();
    await this.#environment.close();
  }

  /**
   * Closes the gateway at the end of a block, like {@link close}.
   *
   * @example
   * await using pinpad = await startPinpad();
   * await pinpad.pos.pay({ amount: 12.5 });
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
