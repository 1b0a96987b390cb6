import { z } from 'zod';
import { delay } from '../../../shared/clock.ts';
import { emulatorCommandSchema, emulatorFrameSchema } from '../../../shared/emulator/frames.ts';
import { type Screen, screenSchema } from '../../../shared/emulator/screen.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { EmulatorServer } from '../../control/emulator-server.ts';
import type { EmulatorAnswer, Emulators, TerminalCommand } from '../../control/emulators.ts';
import { ApiError, type ErrorCode, errorTable } from '../../http/errors.ts';
import type { ParkableCall } from '../../http/parked.ts';
import type { HintBus, HintReply } from '../hints/hints.ts';
import { noWaitTracking } from './hosted-terminal-log.ts';
import { RemoteHostedTerminals } from './remote-hosted-terminals.ts';
import { ReplayGuard } from './replay-guard.ts';

/**
 * Another gateway's request about a terminal that an emulator at this gateway hosts. If the request has a command, such
 * as the press of a key, the emulator carries the command out. If the request has no command, the answer is the
 * terminal's screen.
 */
const emulatorRequest = z.object({
  /**
   * The request's identifier. A copy of the request has the same identifier, so the gateway recognises the copy and
   * does not carry it out.
   */
  id: z.string(),
  command: emulatorCommandSchema.shape.command.optional(),
  /** True if the sender only wants to know whether the hosting gateway answers at all. */
  isThere: z.boolean().optional(),
  /**
   * The time, on the database's clock, after which the command must not be carried out. The sender may have given up by
   * this time.
   */
  until: z.number(),
});
type EmulatorRequest = z.infer<typeof emulatorRequest>;
const emulatorReply = z.object({
  answer: emulatorFrameSchema.optional(),
  screen: screenSchema.optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
type EmulatorReply = z.infer<typeof emulatorReply>;

const handover = z.object({ poiIds: z.array(z.string()), since: z.number(), run: z.string() });

/** The answer of another gateway may take this many ms longer than the answer of the emulator itself. */
const onTheWayMs = 2_000;
/**
 * The hosting gateway carries a request out only if the request was sent at most this many ms ago. After this time, the
 * caller may have been told that no gateway hosts the terminal.
 */
const beginWithinMs = 3_000;
/**
 * The time limit in ms for the answer of a gateway that did not answer the last request. That gateway may be reachable
 * by now.
 */
const secondChanceMs = 1_000;

interface EverywhereParts {
  runtime: Runtime;
  hints: HintBus;
  /** The emulators at this gateway. */
  here: EmulatorServer;
}

/** The emulators at all gateways of the database. NATS carries the requests to emulators at other gateways. */
export class EmulatorsEverywhere implements Emulators {
  readonly #parts: EverywhereParts;
  readonly #remote: RemoteHostedTerminals;
  readonly #run: string;
  readonly #replayGuard = new ReplayGuard();
  /** The terminals whose last request got no answer. */
  readonly #unanswered = new Set<string>();
  /**
   * For each terminal that is hosted here, the function that stops listening to other gateways' requests about the
   * terminal.
   */
  readonly #requestListeners = new Map<string, () => void>();

  constructor(parts: EverywhereParts) {
    const { runtime, hints, here } = parts;
    this.#parts = parts;
    this.#run = runtime.identifiers.next();
    this.#remote = new RemoteHostedTerminals(runtime, hints, here);
    here.onHosting({
      hosting: (poiIds, emulator) => {
        this.#remote.log.hosting(poiIds, emulator);
        hints.publish('hosting', { poiIds, since: emulator.since, run: this.#run });
        for (const poiId of poiIds)
          if (!this.#requestListeners.has(poiId))
            this.#requestListeners.set(poiId, this.#answerRequests(poiId));
      },
      left: (poiIds) => {
        this.#remote.log.left(poiIds);
        for (const poiId of poiIds) this.#requestListeners.get(poiId)?.();
        for (const poiId of poiIds) this.#requestListeners.delete(poiId);
      },
    });
    hints.subscribe('hosting', (data) => this.#onHandover(data));
  }

  bringUpToDate(): Promise<void> {
    return this.#remote.bringUpToDate();
  }

  hosts(poiId: string): boolean {
    return this.#parts.here.hosts(poiId) || this.#remote.lastSeen(poiId) !== undefined;
  }

  hostedTerminals(): string[] {
    return [...new Set([...this.#parts.here.hostedTerminals(), ...this.#remote.hostedTerminals()])];
  }

  representatives(): string[] {
    return [...this.#parts.here.representatives(), ...this.#remote.representatives()];
  }

  async screenOf(poiId: string, call: ParkableCall): Promise<Screen | undefined> {
    if (this.#parts.here.hosts(poiId)) return this.#parts.here.screenOf(poiId, call);
    return (await this.#ask(poiId, {}))?.screen;
  }

  async lastScreenOf(poiId: string, call: ParkableCall): Promise<Screen | undefined> {
    if (this.#parts.here.hosts(poiId)) return this.#parts.here.screenOf(poiId, call);
    return this.#remote.lastSeen(poiId)?.screen;
  }

  watch(watcher: (poiId: string, screen: Screen) => void): () => void {
    const stops = [this.#parts.here.watch(watcher), this.#remote.watch(watcher)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async command(poiId: string, command: TerminalCommand): Promise<EmulatorAnswer> {
    if (this.#parts.here.hosts(poiId)) return this.#parts.here.command(poiId, command);
    const answer = (await this.#ask(poiId, { command }))?.answer;
    if (answer?.type === 'answer') return answer;
    throw new ApiError('conflict', { message: `No emulator hosts the terminal ${poiId} at the moment` });
  }

  /**
   * Sends a request to the gateway that hosts the terminal. Returns the reply of that gateway; undefined if no gateway
   * hosts the terminal.
   */
  async #ask(poiId: string, want: { command?: TerminalCommand }): Promise<EmulatorReply | undefined> {
    const reply = await this.#requestOnce(poiId, want);
    if (reply.is === 'nobody') return undefined;
    const answer = reply.is === 'answer' ? emulatorReply.safeParse(reply.data).data : undefined;
    if (!answer) throw new ApiError('conflict', { message: whyNoAnswer(poiId, reply.is) });
    if (answer.error) throw new ApiError(codeOf(answer.error.code), { message: answer.error.message });
    return answer;
  }

  /**
   * Waits for an answer for as long as an emulator may take. Stops waiting earlier if the hosting gateway does not
   * answer a question that tests whether it is reachable.
   */
  async #requestOnce(poiId: string, want: { command?: TerminalCommand }): Promise<HintReply> {
    const reply = await (this.#unanswered.has(poiId)
      ? this.#request(poiId, want, secondChanceMs)
      : this.#requestWhileReachable(poiId, want));
    if (reply.is === 'silent') this.#unanswered.add(poiId);
    else this.#unanswered.delete(poiId);
    return reply;
  }

  #requestWhileReachable(poiId: string, want: { command?: TerminalCommand }): Promise<HintReply> {
    const { timeouts } = this.#parts.runtime;
    const answered = new AbortController();
    const reply = this.#request(poiId, want, timeouts.acknowledgeMs + onTheWayMs);
    const unreachable = this.#unreachable(poiId, answered.signal);
    unreachable.catch(() => {}); // once the request is answered, an error here does not matter
    return Promise.race([reply, unreachable]).finally(() => answered.abort());
  }

  /** Resolves if the hosting gateway cannot be reached, or if no gateway hosts the terminal any more. */
  async #unreachable(poiId: string, signal: AbortSignal): Promise<HintReply> {
    await delay(this.#parts.runtime.realClock, beginWithinMs, signal);
    const reply = await this.#request(poiId, { isThere: true }, secondChanceMs);
    return reply.is === 'silent' || reply.is === 'nobody' ? reply : new Promise(() => {});
  }

  #request(
    poiId: string,
    want: Omit<EmulatorRequest, 'id' | 'until'>,
    timeoutMs: number,
  ): Promise<HintReply> {
    const { hints, runtime } = this.#parts;
    const until = runtime.clock.now() + Math.min(timeoutMs, beginWithinMs);
    const id = runtime.identifiers.next();
    return hints.request(`hands.${poiId}`, { ...want, id, until }, { timeoutMs });
  }

  #answerRequests(poiId: string): () => void {
    const { hints, here, runtime } = this.#parts;
    return hints.subscribe(`hands.${poiId}`, async (data): Promise<EmulatorReply> => {
      try {
        const { command, isThere, id, until } = emulatorRequest.parse(data);
        const now = runtime.clock.now();
        if (now > until || !this.#replayGuard.isNew(id, until, now)) throw new ApiError('conflict');
        if (isThere) return {};
        if (command) return { answer: await here.command(poiId, command) };
        return { screen: await here.screenOf(poiId, noWaitTracking) };
      } catch (error) {
        if (error instanceof ApiError) return { error: { code: error.code, message: error.message } };
        throw error;
      }
    });
  }

  /**
   * Called when an emulator at another gateway begins to host terminals. An emulator at this gateway that began earlier
   * stops hosting these terminals.
   */
  #onHandover(data: unknown): void {
    const { poiIds, since, run } = handover.parse(data);
    this.#parts.here.letGo(poiIds, (mine) => mine < since || (mine === since && this.#run < run));
  }
}

function whyNoAnswer(poiId: string, reply: HintReply['is']): string {
  return reply === 'unreachable'
    ? `No emulator hosts the terminal ${poiId} at this gateway, and the other gateways cannot be reached over NATS`
    : `The gateway that hosts the terminal ${poiId} does not answer: try again when the terminal has connected to another gateway`;
}

function codeOf(code: string): ErrorCode {
  return code in errorTable ? (code as ErrorCode) : 'conflict';
}
