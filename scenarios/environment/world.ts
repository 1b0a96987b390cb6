import type { MomentInput, MomentName } from '../../client/openapi-types.ts';
import { type CallName, callNames, parseRequestSelector } from '../format/calls.ts';
import type { EventFaultStep, FaultOccurrences, RequestFaultStep } from '../format/fault-steps.ts';
import type { HostBehaviour, NetworkFlaps } from './behaviours.ts';
import { receiverWebhookIdOf } from './receivers.ts';
import { restartAndReconnect } from './restart-gateway.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** The conditions of a payment: power, network, the host's answers, time, and the gateway itself. */
export class World {
  #context: ScenarioContext;
  /** The moments for which this test has set a plan that applies to all terminals. */
  readonly #atAny = new Set<MomentName>();

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /**
   * Cuts a terminal's power, or restores it.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses this
   *
   * @example
   * await pinpad.world.power(false);
   * await pinpad.world.power(true);
   */
  async power(on: boolean, terminal?: string): Promise<void> {
    await this.#context.control.POST('/control/terminals/{terminalId}/power', {
      ...this.#at(terminal),
      body: { on },
    });
  }

  /**
   * Pulls a terminal's network cable out, or plugs the cable in.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses this
   *
   * @example
   * await pinpad.world.network(false);
   */
  async network(up: boolean, terminal?: string): Promise<void> {
    await this.#context.control.POST('/control/terminals/{terminalId}/network', {
      ...this.#at(terminal),
      body: { up },
    });
  }

  /**
   * Sets a plan for a moment of the next payment at a terminal (docs/moments.md); `backMs` is in milliseconds of the
   * clock. A crash or a pause applies to all terminals, unless the plan names one terminal.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses the plan
   *
   * @example
   * await pinpad.world.at('pin', { action: 'powerOff', backMs: 20_000 });
   */
  async at(moment: MomentName, plan: MomentInput, terminal?: string): Promise<void> {
    const isOfAll = plan.action === 'crash' || plan.action === 'pause';
    const aim = plan.terminal ?? terminal;
    const where = isOfAll && aim === undefined ? {} : { terminal: this.#context.terminal(aim).poiId };
    if (!('terminal' in where)) this.#atAny.add(moment);
    await this.#context.control.call('PUT', `/control/moments/${moment}`, { ...plan, ...where });
  }

  /**
   * Takes back the plans that this test has set for moments. The plans of other tests at the same gateway stay.
   *
   * @example
   * await pinpad.world.clearMoments();
   */
  async clearMoments(): Promise<void> {
    const { control, environment } = this.#context;
    for (const { poiId } of environment.terminals)
      await control.DELETE('/control/moments', { params: { query: { terminal: poiId } } });
    for (const moment of this.#atAny)
      await control.DELETE('/control/moments/{moment}', { params: { path: { moment } } });
    this.#atAny.clear();
  }

  /**
   * From now on, delays every message to or from a terminal by `latencyMs` milliseconds of the clock; 0 means no
   * delay.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses this
   *
   * @example
   * await pinpad.world.slowNetwork(1_500);
   */
  async slowNetwork(latencyMs: number, terminal?: string): Promise<void> {
    await this.#context.control.POST('/control/terminals/{terminalId}/latency', {
      ...this.#at(terminal),
      body: { latencyMs },
    });
  }

  /**
   * Makes a terminal's network go down and come back, `times` times, beginning at once.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses this
   *
   * @example
   * await pinpad.world.flapNetwork({ times: 3, downMs: 1_000, upMs: 2_000 });
   */
  async flapNetwork(pattern: NetworkFlaps, terminal?: string): Promise<void> {
    const { times, downMs = 2_000, upMs = 5_000 } = pattern;
    await this.#context.control.POST('/control/terminals/{terminalId}/flap', {
      ...this.#at(terminal),
      body: { times, downMs, upMs },
    });
  }

  /**
   * Sets the host's answer to the next payment of a terminal or, if `payment` is given, to this payment only. With
   * `always`, the host gives this answer to all payments until its usual behaviour is restored. If `behaviour` is
   * `undefined`, restores the usual behaviour.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses this
   *
   * @example
   * await pinpad.world.host({ type: 'decline', errorCondition: 'Refusal' });
   */
  async host(
    behaviour: HostBehaviour | undefined,
    target: {
      terminal?: string;
      payment?: string;
      always?: boolean;
    } = {},
  ): Promise<void> {
    const path =
      target.payment === undefined
        ? `/control/terminals/${this.#context.terminal(target.terminal).poiId}/outcome`
        : `/control/payments/${target.payment}/outcome`;
    if (!behaviour) await this.#context.control.call('DELETE', path);
    else
      await this.#context.control.call('PUT', path, {
        outcome: behaviour,
        ...(target.always ? { mode: 'always' } : {}),
      });
  }

  /**
   * From now on, an automatic shopper pays every payment at the terminal. With `undefined`, the shopper leaves.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses this
   *
   * @example
   * await pinpad.world.shopper({ card: 'mc-credit', entry: 'Contactless' });
   */
  async shopper(shopper: object | undefined, terminal?: string): Promise<void> {
    const path = `/control/terminals/${this.#context.terminal(terminal).poiId}/shopper`;
    await this.#context.control.call(shopper ? 'PUT' : 'DELETE', path, shopper);
  }

  /**
   * Sets a fault between the POS and the gateway. The fault affects only the account's requests. `what` is the name of
   * a call, `any`, or a method and a path in which {name} stands for any one segment. The fault happens once, or as
   * `often` says; fields that end in Ms are milliseconds of the clock.
   *
   * @throws ScenarioError if `what` fits no request of the POS
   *
   * @example
   * await pinpad.world.fault({ fault: 'cutAnswer', afterMs: 60_000 }, 'pay', { after: 1, times: 2 });
   */
  async fault(
    fault: RequestFaultStep,
    what: CallName | string,
    often: FaultOccurrences | FaultOccurrences['times'] = {},
  ): Promise<void> {
    const requests = parseRequestSelector(what);
    if (!requests)
      throw new ScenarioError(
        `${what} is not a request of the POS; use one of: ${callNames.join(', ')}, any, or a method and a path`,
      );
    await this.#setFault({ ...fault, ...requests }, typeof often === 'object' ? often : { times: often });
  }

  /**
   * Sets a fault for an event on its way to a webhook of the account. If no webhook is named, the fault is for all
   * webhooks. The fault happens once, or `times` times; fields that end in Ms are milliseconds of the clock.
   *
   * @throws ApiError if the gateway refuses the fault
   *
   * @example
   * await pinpad.world.eventFault({ fault: 'loseEvent' }, { webhook: 'pos' });
   */
  async eventFault(
    fault: EventFaultStep,
    where: FaultOccurrences & { webhook?: string } = {},
  ): Promise<void> {
    const { webhook, ...often } = where;
    const { accountId } = this.#context.environment;
    const endpointId = webhook === undefined ? undefined : receiverWebhookIdOf(accountId, webhook);
    await this.#setFault({ ...fault, endpointId }, often);
  }

  /**
   * Lets the gateway execute a request, but breaks the connection instead of sending the answer. Does this `times`
   * times, by default once.
   *
   * @throws ScenarioError if `what` fits no request of the POS
   *
   * @example
   * await pinpad.world.dropAnswer('pay');
   */
  dropAnswer(what: CallName | string, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'dropAnswer' }, what, times);
  }

  /**
   * Breaks the connection before the gateway executes a request. Does this `times` times, by default once.
   *
   * @throws ScenarioError if `what` fits no request of the POS
   *
   * @example
   * await pinpad.world.dropRequest('ask status', 'always');
   */
  dropRequest(what: CallName | string, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'dropRequest' }, what, times);
  }

  /**
   * Lets the gateway execute a request, but delays the answer by `delayMs` milliseconds of the clock. Does this
   * `times` times, by default once.
   *
   * @throws ScenarioError if `what` fits no request of the POS
   *
   * @example
   * await pinpad.world.delayAnswer('pay', 30_000);
   */
  delayAnswer(what: CallName | string, delayMs: number, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'delayAnswer', delayMs }, what, times);
  }

  /**
   * Lets the gateway execute a request, but answer with status 500, 502, 503 or 504. Does this `times` times, by
   * default once.
   *
   * @throws ScenarioError if `what` fits no request of the POS
   *
   * @example
   * await pinpad.world.failAnswer('abort', 502);
   */
  failAnswer(
    what: CallName | string,
    status: 500 | 502 | 503 | 504 = 503,
    times?: number | 'always',
  ): Promise<void> {
    return this.fault({ fault: 'failAnswer', status }, what, times);
  }

  /**
   * Ends all faults of requests, answers and events.
   *
   * @example
   * await pinpad.world.clearFaults();
   */
  async clearFaults(): Promise<void> {
    const { accountId } = this.#context.environment;
    await this.#context.control.DELETE('/control/faults', { params: { query: { accountId } } });
  }

  /**
   * Unblocks a card that three wrong PINs have blocked. `card` is an id of docs/cards.md.
   *
   * @throws ApiError if there is no such card
   *
   * @example
   * await pinpad.world.resetCard('visa-credit');
   */
  async resetCard(card: string): Promise<void> {
    await this.#context.control.POST('/control/cards/{cardId}/reset', { params: { path: { cardId: card } } });
  }

  /**
   * Changes settings of the account, as its operator would. `transactionLimit` is in minor units.
   *
   * @throws ApiError if the gateway refuses the change
   *
   * @example
   * await pinpad.world.account({ transactionLimit: 100_00 });
   */
  async account(changes: object): Promise<void> {
    const { accountId } = this.#context.environment;
    await this.#context.control.PATCH('/control/accounts/{accountId}', {
      params: { path: { accountId } },
      body: changes,
    });
  }

  /**
   * Changes settings of a terminal, as its operator would.
   *
   * @throws ScenarioError if there is no such terminal, or ApiError if the gateway refuses the change
   *
   * @example
   * await pinpad.world.terminalSettings({ magicAmounts: false });
   */
  async terminalSettings(changes: object, terminal?: string): Promise<void> {
    await this.#context.control.PATCH('/control/terminals/{terminalId}', {
      ...this.#at(terminal),
      body: changes,
    });
  }

  /**
   * Lets `ms` milliseconds of the clock pass. Everything that is due within this time happens. `pinpad.clock.pass` also
   * accepts a text such as `150 s`.
   *
   * @example
   * await pinpad.world.pass(150_000);
   */
  async pass(ms: number): Promise<void> {
    await this.#context.scheduler.pass(ms);
  }

  /**
   * Stops the gateway and starts it again with the same data. This needs the option `keepsData`. Resolves when all
   * terminals that were connected before the restart are connected again.
   *
   * @throws ScenarioError if the gateway runs elsewhere, or if terminals do not connect within 120 s of the clock
   *
   * @example
   * const pinpad = await startPinpad({ keepsData: true });
   * await pinpad.world.restartGateway();
   */
  async restartGateway(): Promise<void> {
    await restartAndReconnect(this.#context);
  }

  async #setFault(fault: object, { after, times = 1 }: FaultOccurrences): Promise<void> {
    await this.#context.control.call('POST', '/control/faults', {
      ...fault,
      accountId: this.#context.environment.accountId,
      after,
      times: times === 'always' ? null : times,
    });
  }

  #at(terminal: string | undefined) {
    return { params: { path: { terminalId: this.#context.terminal(terminal).poiId } } };
  }
}
