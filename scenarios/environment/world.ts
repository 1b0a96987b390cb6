import type { MomentInput, MomentName } from '../../client/openapi-types.ts';
import { type CallName, callNames, requestsLike } from '../format/calls.ts';
import type { EventFaultStep, FaultOccurrences, RequestFaultStep } from '../format/fault-steps.ts';
import { receiverWebhookId } from './receivers.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** The behaviour that the acquirer's host is set to. */
export interface HostBehaviour {
  type: 'approve' | 'decline' | 'wrongPin' | 'silent' | 'late';
  /** For `late`: how long the answer takes, in milliseconds of the clock. */
  delayMs?: number;
  /** For `decline`: nexo's name of the condition; Refusal when absent. */
  errorCondition?: string;
  refusalReason?: string;
  message?: string;
}

/** A network that comes and goes; by default it is down for 2 s and up for 5 s. */
interface NetworkFlaps {
  times: number;
  downMs?: number;
  upMs?: number;
}

/** How long terminals may take to dial a gateway again, in milliseconds of the clock. */
const reconnectLimitMs = 120_000;

/** The world around a payment: power, network, the host's answers, time, and the gateway itself. */
export class World {
  #context: ScenarioContext;
  /** The moments for which a plan is set at any terminal. */
  readonly #atAny = new Set<MomentName>();

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /** Cuts a terminal's power, or restores it. */
  async power(on: boolean, terminal?: string): Promise<void> {
    await this.#context.control.POST('/control/terminals/{terminalId}/power', {
      ...this.#at(terminal),
      body: { on },
    });
  }

  /** Pulls a terminal's network cable, or plugs it in. */
  async network(up: boolean, terminal?: string): Promise<void> {
    await this.#context.control.POST('/control/terminals/{terminalId}/network', {
      ...this.#at(terminal),
      body: { up },
    });
  }

  /**
   * Sets a plan for a moment of the next payment at a terminal. A crash or a pause applies to any terminal unless one is named.
   */
  async at(moment: MomentName, plan: MomentInput, terminal?: string): Promise<void> {
    const isOfAll = plan.action === 'crash' || plan.action === 'pause';
    const aim = plan.terminal ?? terminal;
    const where = isOfAll && aim === undefined ? {} : { terminal: this.#context.terminal(aim).poiId };
    if (!('terminal' in where)) this.#atAny.add(moment);
    await this.#context.control.call('PUT', `/control/moments/${moment}`, { ...plan, ...where });
  }

  /** Takes back the plans that the test has set for moments; other tests at the same gateway keep theirs. */
  async clearMoments(): Promise<void> {
    const { control, environment } = this.#context;
    for (const { poiId } of environment.terminals)
      await control.DELETE('/control/moments', { params: { query: { terminal: poiId } } });
    for (const moment of this.#atAny)
      await control.DELETE('/control/moments/{moment}', { params: { path: { moment } } });
    this.#atAny.clear();
  }

  /** Makes every message of a terminal take this long from now on, each way; 0 is as fast as possible. */
  async slowNetwork(latencyMs: number, terminal?: string): Promise<void> {
    await this.#context.control.POST('/control/terminals/{terminalId}/latency', {
      ...this.#at(terminal),
      body: { latencyMs },
    });
  }

  /** Lets a terminal's network go down at once and come back, `times` times. */
  async flapNetwork(pattern: NetworkFlaps, terminal?: string): Promise<void> {
    const { times, downMs = 2_000, upMs = 5_000 } = pattern;
    await this.#context.control.POST('/control/terminals/{terminalId}/flap', {
      ...this.#at(terminal),
      body: { times, downMs, upMs },
    });
  }

  /**
   * Sets the host's answer to the next payment of a terminal, or only to `payment`; undefined restores its usual behaviour.
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

  /** Lets an automatic shopper act at the terminal from now on; undefined sends the shopper away. */
  async shopper(shopper: object | undefined, terminal?: string): Promise<void> {
    const path = `/control/terminals/${this.#context.terminal(terminal).poiId}/shopper`;
    await this.#context.control.call(shopper ? 'PUT' : 'DELETE', path, shopper);
  }

  /**
   * Sets a fault on the way between the POS and the gateway; it affects only the account's requests. `what` is a call by its
   * name, `any`, or a method and a path with {name} for any one segment.
   */
  async fault(
    fault: RequestFaultStep,
    what: CallName | string,
    often: FaultOccurrences | FaultOccurrences['times'] = {},
  ): Promise<void> {
    const requests = requestsLike(what);
    if (!requests)
      throw new ScenarioError(
        `${what} is not a request of the POS; use one of: ${callNames.join(', ')}, any, or a method and a path`,
      );
    await this.#setFault({ ...fault, ...requests }, typeof often === 'object' ? often : { times: often });
  }

  /** Sets a fault for an event on its way to a webhook of the account; to any webhook if none is named. */
  async eventFault(
    fault: EventFaultStep,
    where: FaultOccurrences & { webhook?: string } = {},
  ): Promise<void> {
    const { webhook, ...often } = where;
    const { accountId } = this.#context.environment;
    const endpointId = webhook === undefined ? undefined : receiverWebhookId(accountId, webhook);
    await this.#setFault({ ...fault, endpointId }, often);
  }

  /** Lets the gateway do what is asked, and breaks the connection instead of the answer. */
  dropAnswer(what: CallName | string, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'dropAnswer' }, what, times);
  }

  /** Breaks the connection before anything is done. */
  dropRequest(what: CallName | string, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'dropRequest' }, what, times);
  }

  /** Lets the gateway do what is asked, and answer later, by milliseconds of the clock. */
  delayAnswer(what: CallName | string, delayMs: number, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'delayAnswer', delayMs }, what, times);
  }

  /** Lets the gateway do what is asked, and answer 500, 502, 503 or 504. */
  failAnswer(
    what: CallName | string,
    status: 500 | 502 | 503 | 504 = 503,
    times?: number | 'always',
  ): Promise<void> {
    return this.fault({ fault: 'failAnswer', status }, what, times);
  }

  /** Lets requests, answers and events get through again. */
  async clearFaults(): Promise<void> {
    const { accountId } = this.#context.environment;
    await this.#context.control.DELETE('/control/faults', { params: { query: { accountId } } });
  }

  /** Unblocks a card that three wrong PINs have blocked. */
  async resetCard(card: string): Promise<void> {
    await this.#context.control.POST('/control/cards/{cardId}/reset', { params: { path: { cardId: card } } });
  }

  /** Changes settings of the account, as its operator would. */
  async account(changes: object): Promise<void> {
    const { accountId } = this.#context.environment;
    await this.#context.control.PATCH('/control/accounts/{accountId}', {
      params: { path: { accountId } },
      body: changes,
    });
  }

  /** Changes settings of a terminal, as its operator would. */
  async terminalSettings(changes: object, terminal?: string): Promise<void> {
    await this.#context.control.PATCH('/control/terminals/{terminalId}', {
      ...this.#at(terminal),
      body: changes,
    });
  }

  /** Lets milliseconds pass; everything that falls due meanwhile happens. */
  async pass(ms: number): Promise<void> {
    await this.#context.scheduler.pass(ms);
  }

  /** Stops the gateway and starts it again on its data. Resolves when the terminals that it had are connected again. */
  async restartGateway(): Promise<void> {
    const { restartGateway } = this.#context.environment;
    if (!restartGateway) throw new ScenarioError('a gateway that other programs use cannot be restarted');
    const had = await this.#connected();
    await restartGateway();
    await this.#context.scheduler.until(
      async () => {
        const connected = await this.#connected();
        if (!had.every((poiId) => connected.includes(poiId))) return undefined;
        // The emulator reconnects by itself, so it waits until actions at the terminal work again.
        const screens = await Promise.all(had.map((poiId) => this.#context.screenOf(poiId)));
        return screens.every(Boolean) ? true : undefined;
      },
      reconnectLimitMs,
      () =>
        new ScenarioError(`not all terminals reconnected to the gateway within ${reconnectLimitMs / 1000} s`),
    );
  }

  async #setFault(fault: object, { after, times = 1 }: FaultOccurrences): Promise<void> {
    await this.#context.control.call('POST', '/control/faults', {
      ...fault,
      accountId: this.#context.environment.accountId,
      after,
      times: times === 'always' ? null : times,
    });
  }

  async #connected(): Promise<string[]> {
    const all = await this.#context.control.GET('/control/terminals');
    return all.flatMap(({ poiId, connected }) => (connected ? poiId : []));
  }

  #at(terminal: string | undefined) {
    return { params: { path: { terminalId: this.#context.terminal(terminal).poiId } } };
  }
}
