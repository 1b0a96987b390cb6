import { type CallName, callNames, requestsLike } from '../format/calls.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** What the acquirer's host is set to do. */
export interface HostBehaviour {
  type: 'approve' | 'decline' | 'wrongPin' | 'silent' | 'late';
  /** Of `late`: how long it takes, in milliseconds of the clock. */
  delayMs?: number | undefined;
  /** Of `decline`: nexo's name; Refusal without. */
  errorCondition?: string | undefined;
  refusalReason?: string | undefined;
  message?: string | undefined;
}

/** What goes wrong between the POS and the gateway. */
export type RequestFault =
  | { fault: 'dropRequest' | 'dropAnswer' }
  | { fault: 'delayAnswer'; delayMs: number }
  | { fault: 'failAnswer'; status?: number };

/** A network that comes and goes; 2 s down and 5 s up where nothing else is said. */
export interface NetworkFlaps {
  times: number;
  downMs?: number | undefined;
  upMs?: number | undefined;
}

/** How long terminals may take to dial a gateway again, in milliseconds of the clock. */
const reconnectLimitMs = 120_000;

/** The world's side: power, network, the host's mood, time, the gateway itself. */
export class World {
  #context: ScenarioContext;

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /** A terminal's power is cut, or comes back. */
  async power(on: boolean, terminal?: string): Promise<void> {
    await this.#context.mustControl('POST', `${this.#terminalPath(terminal)}/power`, { on });
  }

  /** Pulls a terminal's network cable, or plugs it in. */
  async network(up: boolean, terminal?: string): Promise<void> {
    await this.#context.mustControl('POST', `${this.#terminalPath(terminal)}/network`, { up });
  }

  /** Every message of a terminal takes so long from now on, each way; 0 is as fast as it goes. */
  async slowNetwork(latencyMs: number, terminal?: string): Promise<void> {
    await this.#context.mustControl('POST', `${this.#terminalPath(terminal)}/latency`, { latencyMs });
  }

  /** A terminal's network goes down at once and comes back, so many times. */
  async flapNetwork(pattern: NetworkFlaps, terminal?: string): Promise<void> {
    const { times, downMs = 2_000, upMs = 5_000 } = pattern;
    await this.#context.mustControl('POST', `${this.#terminalPath(terminal)}/flap`, { times, downMs, upMs });
  }

  /** What the host answers to the next payment of a terminal, or to `payment` alone; undefined: as usual again. */
  async host(
    behaviour: HostBehaviour | undefined,
    target: {
      terminal?: string | undefined;
      payment?: string | undefined;
      always?: boolean | undefined;
    } = {},
  ): Promise<void> {
    const path =
      target.payment === undefined ? this.#terminalPath(target.terminal) : `/payments/${target.payment}`;
    if (!behaviour) await this.#context.mustControl('DELETE', `${path}/outcome`);
    else
      await this.#context.mustControl('PUT', `${path}/outcome`, {
        outcome: behaviour,
        ...(target.always ? { mode: 'always' } : {}),
      });
  }

  /** An automatic shopper acts at the terminal from now on; undefined sends him away. */
  async shopper(shopper: object | undefined, terminal?: string): Promise<void> {
    const path = `${this.#terminalPath(terminal)}/shopper`;
    await this.#context.mustControl(shopper ? 'PUT' : 'DELETE', path, shopper);
  }

  /**
   * Something goes wrong on the way between the POS and the gateway; the account's requests alone are concerned.
   * `what` is a call by its name, `any`, or a method and a path with {name} for any one segment.
   */
  async fault(fault: RequestFault, what: CallName | string, times: number | 'always' = 1): Promise<void> {
    const requests = requestsLike(what);
    if (!requests)
      throw new ScenarioError(
        `${what} is no call of the POS; there are: ${callNames.join(', ')}, any, or a method and a path`,
      );
    await this.#context.mustControl('POST', '/faults', {
      ...fault,
      ...requests,
      accountId: this.#context.environment.accountId,
      times: times === 'always' ? null : times,
    });
  }

  /** The gateway does what is asked, and the connection breaks instead of the answer. */
  dropAnswer(what: CallName | string, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'dropAnswer' }, what, times);
  }

  /** The connection breaks before anything is done. */
  dropRequest(what: CallName | string, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'dropRequest' }, what, times);
  }

  /** The gateway does what is asked, and answers later, in milliseconds of the clock. */
  delayAnswer(what: CallName | string, delayMs: number, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'delayAnswer', delayMs }, what, times);
  }

  /** The gateway does what is asked, and answers 500, 502, 503 or 504. */
  failAnswer(what: CallName | string, status = 503, times?: number | 'always'): Promise<void> {
    return this.fault({ fault: 'failAnswer', status }, what, times);
  }

  /** Requests and answers get through again. */
  async clearFaults(): Promise<void> {
    await this.#context.mustControl('DELETE', `/faults?accountId=${this.#context.environment.accountId}`);
  }

  /** A card that three wrong PINs blocked is as new. */
  async resetCard(card: string): Promise<void> {
    await this.#context.mustControl('POST', `/cards/${card}/reset`);
  }

  /** Changes settings of the account, as its operator would. */
  async account(changes: object): Promise<void> {
    await this.#context.mustControl('PATCH', `/accounts/${this.#context.environment.accountId}`, changes);
  }

  /** Changes settings of a terminal, as its operator would. */
  async terminalSettings(changes: object, terminal?: string): Promise<void> {
    await this.#context.mustControl('PATCH', this.#terminalPath(terminal), changes);
  }

  /** Time passes, in milliseconds; all that falls due meanwhile happens. */
  async pass(ms: number): Promise<void> {
    await this.#context.scheduler.pass(ms);
  }

  /** The gateway stops and starts again on its data; it is back when the terminals it had are connected again. */
  async restartGateway(): Promise<void> {
    const { restartGateway } = this.#context.environment;
    if (!restartGateway) throw new ScenarioError('a gateway that others use cannot be restarted');
    const had = await this.#connected();
    await restartGateway();
    await this.#context.scheduler.until(
      async () => {
        const connected = await this.#connected();
        if (!had.every((poiId) => connected.includes(poiId))) return undefined;
        // The emulator dials by itself, so that somebody can act at the terminal again.
        const screens = await Promise.all(
          had.map((id) => this.#context.control('GET', `/terminals/${id}/screen`)),
        );
        return screens.every(({ status }) => status === 200) ? true : undefined;
      },
      reconnectLimitMs,
      () =>
        new ScenarioError(`not all terminals dialled the gateway again within ${reconnectLimitMs / 1000} s`),
    );
  }

  async #connected(): Promise<string[]> {
    const all = await this.#context.mustControl<{ poiId: string; connected: boolean }[]>('GET', '/terminals');
    return all.flatMap(({ poiId, connected }) => (connected ? poiId : []));
  }

  #terminalPath(terminal: string | undefined): string {
    return `/terminals/${this.#context.terminal(terminal).poiId}`;
  }
}
