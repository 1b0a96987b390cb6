import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { compileSchemaCheck } from '../../shared/compile-check.ts';
import type { EmulatorFrame } from '../../shared/emulator/frames.ts';
import { emulatorFrameSchema } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { ConnectionsPerKeyLimiter } from '../../shared/transport/connections-by-key.ts';
import { closeCodes, type Link, LinkProtocolError } from '../../shared/transport/link.ts';
import type { LinkEndpoint } from '../../shared/transport/link-server.ts';
import { ApiError } from '../http/errors.ts';
import { type ParkableCall, parkCallDuring } from '../http/parked.ts';
import { adaptToEarlierEmulator } from './earlier-emulators.ts';
import { EmulatorConnection } from './emulator-connection.ts';
import { EmulatorJournal } from './emulator-journal.ts';
import type { EmulatorAnswer, Emulators, TerminalCommand } from './emulators.ts';
import { ExpectedTerminalWaiter } from './expected-terminals.ts';

type Hello = Extract<EmulatorFrame, { type: 'hello' }>;

/** The terminal whose device key opened the connection. */
interface Dialled {
  readonly terminal: { readonly id: string };
}

/**
 * Checks device keys as /poi does: the key of a new connection, and the keys of the terminals that an emulator hosts.
 */
interface TerminalKeys {
  admit(request: Pick<IncomingMessage, 'headers'>): Promise<Dialled | { refuse: number; reason: string }>;
  /** Returns whether `deviceKey` is the terminal's device key. */
  holdsKey(poiId: string, deviceKey: string): boolean;
}

/** Called when an emulator at this gateway begins to host terminals, and when it stops hosting terminals. */
interface HostingListener {
  hosting(poiIds: readonly string[], emulator: { number: number; since: number }): void;
  left(poiIds: readonly string[]): void;
}

/**
 * The gateway's end of the emulators' connections (/emulator). Through these connections the control API presses keys,
 * inserts cards, cuts the power and reads screens. A terminal may run in any process. If several emulators want to
 * host the same terminal, the latest emulator hosts it.
 */
export class EmulatorServer implements Emulators, LinkEndpoint<Dialled> {
  #runtime: Runtime;
  #keys: TerminalKeys;
  #linksOfKey = new ConnectionsPerKeyLimiter<Link>((link) =>
    link.close(closeCodes.policy, 'there are too many connections with one key'),
  );
  #hosts = new Map<string, EmulatorConnection>();
  #screens = new Map<string, Screen>();
  #watchers = new Set<(poiId: string, screen: Screen) => void>();
  #listener: HostingListener = { hosting() {}, left() {} };
  readonly #expected = new ExpectedTerminalWaiter();
  #emulatorsSoFar = 0;
  #lastCommand = 0;

  constructor(runtime: Runtime, keys: TerminalKeys) {
    this.#runtime = runtime;
    this.#keys = keys;
  }

  admit(request: Pick<IncomingMessage, 'headers'>): Promise<Dialled | { refuse: number; reason: string }> {
    return this.#keys.admit(request);
  }

  connected(link: Link, { terminal }: Dialled): void {
    const emulator = new EmulatorConnection(
      link,
      ++this.#emulatorsSoFar,
      this.#runtime,
      () => ++this.#lastCommand,
    );
    const journal = new EmulatorJournal(this.#runtime.journal, emulator);
    link.handle((json) => this.#received(emulator, journal, json));
    link.onClosed(() => {
      this.#linksOfKey.remove(terminal.id, link);
      this.#forget([...emulator.hosted.keys()]);
      journal.closed();
      emulator.closed();
    });
    this.#linksOfKey.add(terminal.id, link);
  }

  onHosting(listener: HostingListener): void {
    this.#listener = listener;
  }

  /**
   * Gives up the terminals that another gateway hosts now. `isEarlier` receives the time at which this gateway began to
   * host a terminal, and returns whether the other gateway began later.
   */
  letGo(poiIds: readonly string[], isEarlier: (since: number) => boolean): void {
    const gone = poiIds.filter((poiId) => {
      const hosted = this.#hosts.get(poiId)?.hosted;
      const since = hosted?.get(poiId);
      return since !== undefined && isEarlier(since) && hosted?.delete(poiId);
    });
    this.#forget(gone);
  }

  /** Does nothing, because this gateway always knows which terminals are hosted. */
  async bringUpToDate(): Promise<void> {}

  hosts(poiId: string): boolean {
    return this.#hosts.has(poiId);
  }

  /** Returns whether an emulator in this process hosts the terminal. */
  hostsInProcess(poiId: string): boolean {
    return this.#hosts.get(poiId)?.isInProcess === true;
  }

  /** Resolves when emulators at this gateway host all of these terminals. */
  hosting(poiIds: readonly string[]): Promise<void> {
    return this.#expected.untilHosted(poiIds, (poiId) => this.#hosts.has(poiId));
  }

  hostedTerminals(): string[] {
    return [...this.#hosts.keys()];
  }

  async screenOf(poiId: string, call: ParkableCall): Promise<Screen | undefined> {
    const emulator = this.#hosts.get(poiId);
    if (emulator && !this.#screens.has(poiId)) await parkCallDuring(call, () => emulator.showScreens(poiId));
    return this.#screens.get(poiId);
  }

  lastScreenOf(poiId: string, call: ParkableCall): Promise<Screen | undefined> {
    return this.screenOf(poiId, call);
  }

  watch(watcher: (poiId: string, screen: Screen) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  representatives(): string[] {
    const emulators = new Map<EmulatorConnection, string>();
    for (const [poiId, emulator] of this.#hosts) if (!emulators.has(emulator)) emulators.set(emulator, poiId);
    return [...emulators.values()];
  }

  async command(poiId: string, given: TerminalCommand): Promise<EmulatorAnswer> {
    const emulator = this.#hosts.get(poiId);
    if (!emulator)
      throw new ApiError('conflict', { message: `No emulator hosts the terminal ${poiId} at the moment` });
    const command = emulator.knowsMoments ? given : adaptToEarlierEmulator(given);
    if (command === 'nothingToDo') return { type: 'answer', id: 0 };
    if (command === 'unsupported')
      throw new ApiError('conflict', {
        message: `The terminal ${poiId} runs an earlier release of pinpad, which does not support actions at moments`,
      });
    const answer = await emulator.ask(poiId, command);
    if (!answer)
      throw new ApiError('terminalUnreachable', { message: `The emulator of ${poiId} did not answer` });
    if (!answer.error) return answer;
    const { code, message } = answer.error;
    throw new ApiError(code === 'unknownCard' ? 'notFound' : 'conflict', { message });
  }

  #received(emulator: EmulatorConnection, journal: EmulatorJournal, json: unknown): void | Promise<void> {
    const frame = fitsFrame(json) ? json : parsed(json);
    if (frame.type === 'hello') return this.#checkHello(emulator, frame);
    if (frame.type === 'screen') this.#showed(emulator, frame.poiId, frame.screen);
    else if (frame.type === 'answer') emulator.answered(frame);
    else if (frame.type === 'journal') journal.forwarded(frame.entries);
  }

  /**
   * Handles an emulator's first message, if the connection still works. If this gateway's process was paused, the
   * message may be old, and another gateway may host the emulator's terminals by now. An old message must not take
   * these terminals (B191). In virtual time no check is needed, because the gateway and the emulator pause together.
   */
  #checkHello(emulator: EmulatorConnection, hello: Hello): void | Promise<void> {
    this.#checkKeys(hello);
    if (this.#runtime.clock.virtual) return this.#takeTerminals(emulator, hello);
    return new Promise((resolve, reject) => {
      emulator.proveAlive(this.#runtime.timeouts.heartbeatMs, (alive) => {
        try {
          if (alive) this.#checkKeys(hello); // a terminal may have been deleted since the first check
          if (alive) this.#takeTerminals(emulator, hello);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #checkKeys({ terminals }: Hello): void {
    for (const { poiId, deviceKey } of terminals)
      if (!this.#keys.holdsKey(poiId, deviceKey))
        throw new LinkProtocolError(
          closeCodes.policy,
          `this is not the device key of ${poiId}`.slice(0, 100),
        );
  }

  #takeTerminals(
    emulator: EmulatorConnection,
    { terminals, keepsJournal = false, knowsMoments = false }: Hello,
  ): void {
    emulator.keepsJournal = keepsJournal;
    emulator.knowsMoments = knowsMoments;
    const since = this.#runtime.clock.now();
    for (const { poiId } of terminals) {
      const former = this.#hosts.get(poiId);
      if (former !== emulator) this.#screens.delete(poiId);
      former?.hosted.delete(poiId);
      this.#hosts.set(poiId, emulator);
      emulator.hosted.set(poiId, since);
      if (this.#watchers.size > 0) void emulator.showScreens(poiId);
    }
    this.#listener.hosting(
      terminals.map(({ poiId }) => poiId),
      { number: emulator.number, since },
    );
    this.#expected.noteHosted();
  }

  #showed(emulator: EmulatorConnection, poiId: string, screen: Screen): void {
    // This screen may be old. When the emulator sent the screen, it may not have known yet that another emulator hosts
    // the terminal.
    if (this.#hosts.get(poiId) !== emulator) return;
    this.#screens.set(poiId, screen);
    for (const watcher of this.#watchers) watcher(poiId, screen);
  }

  #forget(poiIds: readonly string[]): void {
    for (const poiId of poiIds) {
      this.#hosts.delete(poiId);
      this.#screens.delete(poiId);
    }
    this.#listener.left(poiIds);
  }
}

const fitsFrame = compileSchemaCheck(emulatorFrameSchema);

/** @throws LinkProtocolError if `json` is not a valid frame */
function parsed(json: unknown): EmulatorFrame {
  const { success, data, error } = emulatorFrameSchema.safeParse(json);
  if (success) return data;
  throw new LinkProtocolError(closeCodes.badMessage, z.prettifyError(error).replaceAll(/\s+/g, ' '));
}
