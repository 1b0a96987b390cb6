import type { Random } from '../../../shared/random.ts';
import { httpRequest, NoAnswer } from '../../load/http-request.ts';
import type { OneGateway } from '../../load/one-gateway.ts';
import type { CardNumbers } from './card-numbers.ts';
import type { HostileSockets } from './hostile-sockets.ts';

/** The account of the attackers. They have the account's token and the key of its terminal. That terminal is off. */
export const hostileAccount = {
  name: 'Hostile',
  tokens: [{ token: 'test_hostile_hostile_hostile' }],
  stores: [{ name: 'Hostile', terminals: [{ poiId: 'OWN-1' }] }],
};
const [{ token: hostileToken }] = hostileAccount.tokens as [{ token: string }];

/**
 * The sender of a request: a client without a token, a client with a wrong token, the attackers' account, or a client
 * with the control token.
 */
export type RequestSender = 'nobody' | 'wrong' | 'hostile' | 'control';

export interface HostileRequest {
  method: string;
  path: string;
  as: RequestSender;
  headers?: Record<string, string>;
  body?: string;
  /** The statuses that are a proper answer. If this is absent, any 4xx and 501 are proper. */
  expected?: readonly number[];
}

/** What attacks need: a target, and a way to report answers that must not come. */
export class AttackTarget {
  readonly complaints: string[] = [];
  asked = 0;
  readonly world: OneGateway;
  readonly random: Random;
  readonly sockets: HostileSockets;
  readonly numbers: CardNumbers;
  untilMs = 0;
  /** The keys of this round's payments begin with this text. */
  round = '';

  constructor(world: OneGateway, random: Random, sockets: HostileSockets, numbers: CardNumbers) {
    this.world = world;
    this.random = random;
    this.sockets = sockets;
    this.numbers = numbers;
  }

  /** Prepares this target for another round, and returns it. */
  during(round: string, untilMs: number): this {
    this.round = round;
    this.untilMs = untilMs;
    return this;
  }

  get over(): boolean {
    return performance.now() > this.untilMs;
  }

  get ownTerminal(): { poiId: string; identifier: string; deviceKey: string } {
    const [own] = this.world.otherTerminals;
    if (!own) throw new Error('the attackers have no terminal');
    return own;
  }

  one<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.random.int(choices.length)] as Choice;
  }

  bytes(most: number): Buffer {
    return Buffer.from(this.random.bytes(this.random.int(most)));
  }

  /** Resolves to the status of the answer. If no answer came, it adds a complaint and resolves to undefined. */
  async ask(question: HostileRequest): Promise<number | undefined> {
    const { method, path, body, headers, expected } = question;
    const startedAt = Date.now();
    this.asked++;
    try {
      const { status, text } = await httpRequest(this.world.url + path, {
        method,
        headers: { ...this.#authorization(question.as), ...headers },
        ...(body === undefined ? {} : { body }),
        timeoutMs: this.world.answerLimitMs,
      });
      const proper = expected?.includes(status) ?? ((status >= 400 && status < 500) || status === 501);
      const refused = status === 503 && this.world.mayRefuseSince(startedAt);
      if (!proper && !refused) this.#complain(question, `answered ${status}: ${text.slice(0, 200)}`);
      return status;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // A body may be refused before the gateway has read it. Then the client may see the end of the connection before
      // the answer.
      if (error.timedOut || (body?.length ?? 0) < 100_000) this.#complain(question, error.message);
      return undefined;
    }
  }

  #authorization(as: RequestSender): Record<string, string> {
    const tokens = {
      wrong: 'test_nobody_has_this_one',
      hostile: hostileToken,
      control: this.world.controlToken,
    };
    return as === 'nobody' ? {} : { authorization: `Bearer ${tokens[as]}` };
  }

  #complain({ method, path, as }: HostileRequest, what: string): void {
    this.complaints.push(`${method} ${path.slice(0, 200)} as ${as}: ${what}`);
  }
}
