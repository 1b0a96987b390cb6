import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { TimerHandle } from '../../shared/clock.ts';
import { compileCheck } from '../../shared/compile-check.ts';
import type { EmulatorCommand, EmulatorFrame } from '../../shared/emulator/frames.ts';
import { emulatorFrameSchema } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { JournalKind } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { ConnectionsByKey } from '../../shared/transport/connections-by-key.ts';
import { closeCodes, type Link, LinkError } from '../../shared/transport/link.ts';
import type { LinkEndpoint } from '../../shared/transport/link-server.ts';
import { ApiError } from '../http/errors.ts';
import { type ParkableCall, parkCallDuring } from '../http/parked.ts';
import { downgradeEmulatorCommand, newerEmulatorCommands } from './earlier-emulators.ts';
import type { EmulatorAnswer, Emulators, TerminalCommand } from './emulators.ts';
import { ExpectedTerminalWaiter } from './expected-terminals.ts';
import { makeForwardedDataReader } from './forwarded-journal-data.ts';

type Hello = Extract<EmulatorFrame, { type: 'hello' }>;
type ForwardedEntry = Extract<EmulatorFrame, { type: 'journal' }>['entries'][number];

/**
 * The maximum number of journal entries that an emulator forwards while no client reads the journal. After this number
 * of entries, the emulator keeps further entries to itself, because forwarding takes a seventh of the time of a
 * payment. The gateway adds the kept entries to the journal later, after its own entries.
 */
const mostUnread = 1_000;

/** The terminal whose device key opened the connection. */
interface Dialled {
  readonly terminal: { readonly id: string };
}

/** Checks, as /poi does, the device key of a new connection and the keys of the terminals that an emulator hosts. */
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

interface Emulator {
  readonly link: Link;
  readonly number: number;
  /** For each hosted terminal, by poi_id, the time at which this emulator began to host it. */
  readonly hosted: Map<string, number>;
  readonly waiting: Map<number, (answer: EmulatorAnswer | undefined) => void>;
  /**
   * Resolves when the emulator has sent its present screens. It is undefined until a client requests the screens.
   * After that, the emulator sends each new screen.
   */
  showing: Promise<unknown> | undefined;
  /** Whether the emulator can keep its journal entries until the gateway's journal has a reader. */
  keepsJournal: boolean;
  knowsMoments: boolean;
  forwarded: number; // the number of journal entries that the emulator has forwarded
  /** Makes the emulator forward its journal again; undefined while the emulator forwards it. */
  stopKeeping: (() => void) | undefined;
}

/**
 * The gateway's end of the emulators' connections (/emulator). Through these connections the control API presses keys,
 * inserts cards, cuts the power and reads screens. A terminal may run in any process. If several emulators want to
 * host the same terminal, the latest emulator hosts it.
 */
export class EmulatorServer implements Emulators, LinkEndpoint<Dialled> {
  #runtime: Runtime;
  #keys: TerminalKeys;
  #linksOfKey = new ConnectionsByKey<Link>((link) =>
    link.close(closeCodes.policy, 'there are too many connections with one key'),
  );
  #hosts = new Map<string, Emulator>();
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
    const emulator: Emulator = {
      link,
      number: ++this.#emulatorsSoFar,
      hosted: new Map(),
      waiting: new Map(),
      showing: undefined,
      keepsJournal: false,
      knowsMoments: false,
      forwarded: 0,
      stopKeeping: undefined,
    };
    link.handle((json) => this.#received(emulator, json));
    const stop = this.#pingRegularly(link);
    link.onClosed(() => {
      stop();
      this.#linksOfKey.remove(terminal.id, link);
      this.#closed(emulator);
    });
    this.#linksOfKey.add(terminal.id, link);
  }

  /**
   * Pings the emulator at intervals of real time. If the emulator died without closing the connection, the ping fails,
   * and the gateway frees the emulator's terminals.
   */
  #pingRegularly(link: Link): () => void {
    const { clock, timeouts } = this.#runtime;
    if (clock.virtual) return () => {};
    const beat = () => {
      link.ping();
      if (link.open) timer = clock.setTimeout(beat, timeouts.heartbeatMs);
    };
    let timer = clock.setTimeout(beat, timeouts.heartbeatMs);
    return () => clock.clearTimeout(timer);
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

  /**
   * Returns whether an emulator in this process hosts the terminal. An emulator in another process has a journal of
   * its own.
   */
  hostsInProcess(poiId: string): boolean {
    return this.#hosts.get(poiId)?.keepsJournal === false;
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
    if (emulator && !this.#screens.has(poiId)) await parkCallDuring(call, () => this.#show(emulator, poiId));
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
    const emulators = new Map<Emulator, string>();
    for (const [poiId, emulator] of this.#hosts) if (!emulators.has(emulator)) emulators.set(emulator, poiId);
    return [...emulators.values()];
  }

  async command(poiId: string, given: TerminalCommand): Promise<EmulatorAnswer> {
    const emulator = this.#hosts.get(poiId);
    if (!emulator)
      throw new ApiError('conflict', { message: `No emulator hosts the terminal ${poiId} at the moment` });
    const command = emulator.knowsMoments ? given : downgradeEmulatorCommand(given);
    const isNew = newerEmulatorCommands.has(command.do) && !emulator.knowsMoments;
    if (isNew && command.do !== 'setMoment') return { type: 'answer', id: 0 };
    if (isNew)
      throw new ApiError('conflict', {
        message: `The terminal ${poiId} runs an earlier release of pinpad, which does not support actions at moments`,
      });
    const answer = await this.#ask(emulator, poiId, command);
    if (!answer)
      throw new ApiError('terminalUnreachable', { message: `The emulator of ${poiId} did not answer` });
    if (!answer.error) return answer;
    const { code, message } = answer.error;
    throw new ApiError(code === 'unknownCard' ? 'notFound' : 'conflict', { message });
  }

  #ask(emulator: Emulator, poiId: string, command: TerminalCommand): Promise<EmulatorAnswer | undefined> {
    const id = ++this.#lastCommand;
    const { clock, timeouts, timeWaits } = this.#runtime;
    const waiting = timeWaits.wait(() => `the terminal ${poiId}`, timeouts.acknowledgeMs);
    return new Promise((resolve) => {
      const limit: TimerHandle = clock.setTimeout(() => settle(undefined), timeouts.acknowledgeMs);
      const settle = (answer: EmulatorAnswer | undefined) => {
        waiting();
        clock.clearTimeout(limit);
        emulator.waiting.delete(id);
        resolve(answer);
      };
      emulator.waiting.set(id, settle);
      emulator.link.send(JSON.stringify({ id, poiId, command } satisfies EmulatorCommand));
    });
  }

  #show(emulator: Emulator, poiId: string): Promise<unknown> {
    emulator.showing ??= this.#ask(emulator, poiId, { do: 'showScreens' });
    return emulator.showing;
  }

  #received(emulator: Emulator, json: unknown): void | Promise<void> {
    const frame = fitsFrame(json) ? json : parsed(json);
    if (frame.type === 'hello') return this.#checkHello(emulator, frame);
    if (frame.type === 'screen') this.#showed(emulator, frame.poiId, frame.screen);
    else if (frame.type === 'answer') emulator.waiting.get(frame.id)?.(frame);
    else if (frame.type === 'journal') this.#forwarded(emulator, frame.entries);
  }

  /**
   * Handles an emulator's first message, if the connection still works. If this gateway's process was paused, the
   * message may be old, and another gateway may host the emulator's terminals by now. An old message must not take
   * these terminals (B191). Virtual time needs no check, because the gateway and the emulator then pause together.
   */
  #checkHello(emulator: Emulator, hello: Hello): void | Promise<void> {
    this.#checkKeys(hello);
    if (this.#runtime.clock.virtual) return this.#takeTerminals(emulator, hello);
    return new Promise((resolve, reject) => {
      emulator.link.proveAlive(this.#runtime.timeouts.heartbeatMs, (alive) => {
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
        throw new LinkError(closeCodes.policy, `this is not the device key of ${poiId}`.slice(0, 100));
  }

  #takeTerminals(emulator: Emulator, { terminals, keepsJournal = false, knowsMoments = false }: Hello): void {
    emulator.keepsJournal = keepsJournal;
    emulator.knowsMoments = knowsMoments;
    const since = this.#runtime.clock.now();
    for (const { poiId } of terminals) {
      const former = this.#hosts.get(poiId);
      if (former !== emulator) this.#screens.delete(poiId);
      former?.hosted.delete(poiId);
      this.#hosts.set(poiId, emulator);
      emulator.hosted.set(poiId, since);
      if (this.#watchers.size > 0) void this.#show(emulator, poiId);
    }
    this.#listener.hosting(
      terminals.map(({ poiId }) => poiId),
      { number: emulator.number, since },
    );
    this.#expected.noteHosted();
  }

  #forwarded(emulator: Emulator, entries: readonly ForwardedEntry[]): void {
    for (const entry of entries) this.#addToJournal(emulator, entry);
    emulator.forwarded += entries.length;
    const [poiId] = emulator.hosted.keys();
    if (emulator.keepsJournal && emulator.forwarded >= mostUnread && poiId !== undefined)
      this.#keepJournal(emulator, poiId);
  }

  /** From now on an emulator keeps its journal entries, until the gateway's journal has a reader. */
  #keepJournal(emulator: Emulator, poiId: string): void {
    if (emulator.stopKeeping) return;
    emulator.stopKeeping = this.#runtime.journal.keptBackBy(() =>
      this.#ask(emulator, poiId, { do: 'showJournal' }),
    );
    if (emulator.stopKeeping) void this.#ask(emulator, poiId, { do: 'keepJournal' });
  }

  #showed(emulator: Emulator, poiId: string, screen: Screen): void {
    // This screen may be old. When the emulator sent the screen, it may not have known yet that another emulator hosts
    // the terminal.
    if (this.#hosts.get(poiId) !== emulator) return;
    this.#screens.set(poiId, screen);
    for (const watcher of this.#watchers) watcher(poiId, screen);
  }

  /**
   * Adds an emulator's entry to the journal. An entry about a terminal that this emulator does not host is left out.
   */
  #addToJournal(emulator: Emulator, { data, ...entry }: ForwardedEntry): void {
    if (entry.terminal !== undefined && !emulator.hosted.has(entry.terminal)) return;
    this.#runtime.journal.adopt(
      { ...entry, kind: entry.kind as JournalKind },
      data,
      makeForwardedDataReader(entry.kind),
    );
  }

  #closed(emulator: Emulator): void {
    this.#forget([...emulator.hosted.keys()]);
    emulator.stopKeeping?.();
    for (const settle of emulator.waiting.values()) settle(undefined);
  }

  #forget(poiIds: readonly string[]): void {
    for (const poiId of poiIds) {
      this.#hosts.delete(poiId);
      this.#screens.delete(poiId);
    }
    this.#listener.left(poiIds);
  }
}

const fitsFrame = compileCheck(emulatorFrameSchema);

/** @throws LinkError if `json` is not a valid frame */
function parsed(json: unknown): EmulatorFrame {
  const { success, data, error } = emulatorFrameSchema.safeParse(json);
  if (success) return data;
  throw new LinkError(closeCodes.badMessage, z.prettifyError(error).replaceAll(/\s+/g, ' '));
}
