import {
  type Backstage,
  type Cast,
  castOf,
  describeEntry,
  expectWishes,
  type Finding,
  type Hand,
  type HostBehaviour,
  lintJournal,
  milliseconds,
  type Pos,
  renderTrace,
  type SentRequest,
  Stage,
  type StageTerminal,
  type Wishes,
  type World,
} from '../scenarios/index.ts';
import type { Screen, ScreenState } from '../shared/emulator/screen.ts';
import type { JournalEntry, JournalKind } from '../shared/journal.ts';

/** A time: milliseconds, or text such as `150 s`, `2 min`, `48 h`. */
export type Time = number | string;

const inMs = (time: Time) => (typeof time === 'number' ? time : milliseconds(time));

/**
 * A gateway with emulated terminals for a test: what a point of sale talks to, and everything a test does around
 * it. The verbs are those of story files.
 */
export class Pinpad {
  /** The payments API's address, and a token for it. */
  readonly url: string;
  readonly token: string;
  readonly controlToken: string;
  readonly terminals: readonly StageTerminal[];
  /** A point of sale of the test's own. */
  readonly pos: Pos;
  /** Power, network, shoppers, account settings. */
  readonly world: World;
  /** Time; it stands still until it is moved, or a shopper waits for something that needs it. */
  readonly clock: { now(): number; pass(time: Time): Promise<void>; readonly virtual: boolean };
  #backstage: Backstage;
  #stage: Stage;
  #cast: Cast;
  #stop: () => void;

  constructor(backstage: Backstage, options: { firstSeq?: number; stop?: () => void } = {}) {
    this.#backstage = backstage;
    this.#stop = options.stop ?? (() => {});
    this.#stage = new Stage(backstage, { oneAtATime: false, firstSeq: options.firstSeq ?? 0 });
    this.#cast = castOf(this.#stage);
    this.url = backstage.url;
    this.token = backstage.tokens.sandbox;
    this.controlToken = backstage.controlToken;
    this.terminals = backstage.terminals;
    this.pos = this.#cast.pos;
    this.world = this.#cast.world;
    this.clock = {
      virtual: backstage.time.virtual,
      now: () => backstage.time.now(),
      pass: (time) => this.world.pass(inMs(time)),
    };
  }

  /** The shopper's hand at a terminal, by its name, poi_id or identifier; the first one without. */
  terminal(name?: string): Hand {
    return this.#cast.hand(name);
  }

  /** terminalId in paths of the payments API. */
  terminalId(name?: string): string {
    return this.#stage.terminal(name).identifier;
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
   * Waits until everything wished for is true, as `expect` in a story.
   *
   * @throws an Error that says what is different and what there is instead
   */
  expect(
    wishes: Wishes,
    options: { of?: SentRequest; terminal?: string; within?: Time } = {},
  ): Promise<void> {
    const { of, terminal, within } = options;
    return expectWishes(
      { stage: this.#stage, pos: this.pos, of, terminal },
      wishes,
      within === undefined ? undefined : inMs(within),
    );
  }

  /** The journal's entries so far, of one kind or all. */
  async journal<Kind extends JournalKind>(kind?: Kind): Promise<JournalEntry<Kind>[]> {
    const entries = await this.#stage.journal();
    return entries.filter((entry) => kind === undefined || entry.kind === kind) as JournalEntry<Kind>[];
  }

  /** Any call of the control API, without `/control`; it must succeed. */
  control<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
    return this.#stage.mustControl<Body>(method, path, body);
  }

  /** Resolves when everything that happens without time passing has happened (virtual time). */
  settled(): Promise<void> {
    return this.#stage.time.settled();
  }

  /** The last things that happened, a line each: what one wants to read when a test fails. */
  async story(entries = 40): Promise<string> {
    const all = await this.#stage.journal();
    return all
      .filter(({ kind }) => !kind.startsWith('message.'))
      .slice(-entries)
      .map(describeEntry)
      .join('\n');
  }

  /** Everything that happened as one HTML page (docs/traces.md): to be written to a file where a test fails. */
  async trace(title = 'A test'): Promise<string> {
    return renderTrace({ title, entries: await this.#stage.journal() });
  }

  /**
   * What the point of sale under test does that will go wrong in the field (docs/lint.md). The requests of
   * {@link pos}, which are the test's own, do not count.
   *
   * @example
   * expect(await pinpad.lint()).toEqual([]);
   */
  async lint(): Promise<Finding[]> {
    const { prefix } = this.#backstage;
    return lintJournal(await this.#stage.journal(), { ignore: (requestId) => requestId.startsWith(prefix) });
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#backstage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
