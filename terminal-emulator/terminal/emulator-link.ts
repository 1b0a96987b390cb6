import { testCardSchema } from '../../shared/emulator/cards.ts';
import {
  type EmulatorCommand,
  type EmulatorFrame,
  emulatorCommandSchema,
} from '../../shared/emulator/frames.ts';
import type { MomentPlans } from '../../shared/moment-plans.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, LinkProtocolError } from '../../shared/transport/link.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import { DialQueue } from './dial-queue.ts';
import { JournalForwarder } from './journal-forwarder.ts';
import { ReconnectingLink } from './reconnecting-link.ts';
import type { EmulatedTerminal } from './terminal.ts';
import { makeNotInTrayRefusal } from './terminal-actions.ts';

type Answer = Omit<Extract<EmulatorFrame, { type: 'answer' }>, 'type' | 'id'>;

/**
 * The maximum number of terminals that one message announces. Thousands of terminals would not fit into a message.
 */
const helloHolds = 500;

interface EmulatorLinkParts {
  runtime: Runtime;
  terminals: ReadonlyMap<string, EmulatedTerminal>;
  cards: CardCatalogue;
  moments: MomentPlans;
  forwardJournal: boolean;
}

/**
 * The emulator's end of the link /emulator. Over this link, the control API reaches the keys, slots, switches and
 * screens of all terminals of the process. Each terminal also has a link of its own. The links are separate, so that
 * this link stays up when a terminal's network is cut.
 */
export class EmulatorLink {
  #link: ReconnectingLink;
  readonly #parts: EmulatorLinkParts;
  #forwarder: JournalForwarder | undefined;
  /**
   * Whether the gateway wants to get the screens. Usually no client needs the screens, and drawing and sending them
   * slows down every payment.
   */
  #sendsScreens = false;
  /** The terminals whose latest screen was not sent to the gateway yet. */
  #unsentScreens = new Set<EmulatedTerminal>();
  /** The terminals that another process runs now. */
  #displaced = new Set<EmulatedTerminal>();
  #flushing = false;
  /**
   * Whether no warning is needed any more, because the link has been up or because a warning has already been given.
   */
  #wasUpOrWarned = false;
  #announced = Promise.withResolvers<void>();
  /**
   * Resolves when the gateway knows this emulator's terminals, or when the first attempt to announce them has failed.
   */
  readonly announced: Promise<void> = this.#announced.promise;

  constructor(target: { url: string; deviceKey: string; poiId: string }, parts: EmulatorLinkParts) {
    this.#parts = parts;
    this.#link = new ReconnectingLink(
      target,
      { runtime: parts.runtime, dials: new DialQueue(1), againAtOnce: true },
      {
        changed: (state, unreachable) => {
          if (state === 'up') return this.#opened();
          if (unreachable !== undefined) this.#warnOnce(target.url, unreachable);
          this.#announced.resolve();
        },
        received: (json) => this.#received(json),
      },
    );
    this.#forwarder = parts.forwardJournal
      ? new JournalForwarder(parts.runtime, (frame) => this.#link.send(JSON.stringify(frame)))
      : undefined;
    this.#link.start();
  }

  /** Announces a terminal to the gateway. From now on, sends the terminal's screens. */
  host(terminal: EmulatedTerminal): void {
    terminal.onChange(() => {
      this.#screenChanged(terminal);
      if (terminal.network.displaced) this.#displaced.add(terminal);
      else if (this.#displaced.delete(terminal)) this.#announce(terminal);
    });
    this.#announce(terminal);
  }

  /**
   * Announces a terminal to the gateway, even if another process has also announced this terminal. The reason is that
   * the process that has the terminal's link must also have the terminal's keys.
   */
  #announce(terminal: EmulatedTerminal): void {
    if (!this.#link.up) return;
    this.#sendHello([terminal]);
    this.#screenChanged(terminal);
  }

  close(): void {
    this.#forwarder?.close();
    this.#link.close();
  }

  /**
   * Warns once that nothing answers at the address, because the address may be wrong. There is no warning if the link
   * breaks later, because the screens show that the link is down.
   */
  #warnOnce(url: string, why: string): void {
    // If the journal is not forwarded, this warning is not needed: the gateway runs in this process, or warns about
    // this itself.
    if (this.#wasUpOrWarned || !this.#parts.forwardJournal) return;
    this.#wasUpOrWarned = true;
    const gateway = new URL(url.replace(/^ws/, 'http')).origin;
    const message = `the gateway at ${gateway} cannot be reached (${why}): the terminals try again until they reach it`;
    this.#parts.runtime.journal.add('warning', { message });
  }

  #opened(): void {
    this.#wasUpOrWarned = true;
    const terminals = [...this.#parts.terminals.values()];
    for (let at = 0; at < terminals.length; at += helloHolds) {
      const last = at + helloHolds >= terminals.length;
      this.#sendHello(terminals.slice(at, at + helloHolds), last ? this.#announced.resolve : undefined);
    }
    this.#flushing = false;
    this.#sendsScreens = false;
    this.#unsentScreens.clear();
    this.#forwarder?.sendAll();
  }

  #sendHello(terminals: EmulatedTerminal[], acknowledged?: () => void): void {
    const hosted = terminals.map(({ settings: { poiId, deviceKey } }) => ({ poiId, deviceKey }));
    const keepsJournal = this.#forwarder ? { keepsJournal: true } : {};
    this.#send({ type: 'hello', terminals: hosted, knowsMoments: true, ...keepsJournal }, acknowledged);
  }

  #sendAllScreens(): void {
    this.#sendsScreens = true;
    for (const terminal of this.#parts.terminals.values()) this.#sendScreen(terminal);
  }

  #screenChanged(terminal: EmulatedTerminal): void {
    if (!this.#sendsScreens || !this.#link.up) return;
    this.#unsentScreens.add(terminal);
    if (this.#flushing) return;
    this.#flushing = true;
    const flush = this.#parts.runtime.inFlight.begin();
    setImmediate(() => {
      this.#flush();
      flush();
    });
  }

  /**
   * Sends the screens that have changed. Screens that change before the gateway's acknowledgement are sent together
   * after it.
   */
  #flush(): void {
    const changed = [...this.#unsentScreens];
    this.#unsentScreens.clear();
    const last = changed.pop();
    for (const terminal of changed) this.#sendScreen(terminal);
    if (last) this.#sendScreen(last, () => this.#flush());
    else this.#flushing = false;
  }

  #sendScreen(terminal: EmulatedTerminal, acknowledged?: () => void): void {
    const frame: EmulatorFrame = { type: 'screen', poiId: terminal.poiId, screen: terminal.screen() };
    this.#link.send(JSON.stringify(frame), acknowledged);
  }

  #received(json: unknown): void {
    const parsed = emulatorCommandSchema.safeParse(json);
    if (!parsed.success)
      throw new LinkProtocolError(closeCodes.badMessage, 'this is not a command of /emulator');
    const { id, poiId, command } = parsed.data;
    const terminal = this.#parts.terminals.get(poiId);
    const answer: Answer = terminal
      ? this.#carryOut(terminal, command)
      : { error: { code: 'unknownTerminal', message: `no terminal ${poiId} here` } };
    // The screen is sent before the answer. So a client that reads the screen after the answer sees the effect of its
    // action.
    if (terminal && this.#unsentScreens.delete(terminal)) this.#sendScreen(terminal);
    this.#send({ type: 'answer', id, ...answer });
  }

  #carryOut(terminal: EmulatedTerminal, command: EmulatorCommand['command']): Answer {
    switch (command.do) {
      case 'act': {
        const error = terminal.act(command.action);
        return error ? { error } : {};
      }
      case 'shopper':
        if (command.shopper && 'card' in command.shopper && !this.#parts.cards.get(command.shopper.card))
          return { error: makeNotInTrayRefusal(command.shopper.card) };
        terminal.setShopper(command.shopper);
        return {};
      case 'showScreens':
        this.#sendAllScreens();
        return {};
      case 'keepJournal':
        this.#forwarder?.sendOnlyLogged();
        return {};
      case 'showJournal':
        this.#forwarder?.sendAll();
        return {};
      case 'setMoment':
        this.#parts.moments.set(command.plan);
        return {};
      case 'clearMoments':
        this.#parts.moments.clear(command.which);
        return {};
      case 'moments':
        return { moments: this.#parts.moments.list(), paused: this.#paused() };
      case 'continue':
        for (const each of this.#parts.terminals.values()) each.continue();
        return {};
      case 'receipts':
        return { receipts: terminal.receipts() };
      case 'cards':
        return { cards: this.#parts.cards.summaries() };
      case 'addCard': {
        const parsed = testCardSchema.safeParse(command.card);
        if (!parsed.success) return { error: { code: 'notPossible', message: 'not a valid card' } };
        this.#parts.cards.add(parsed.data);
        return {};
      }
    }
  }

  #paused(): NonNullable<Answer['paused']> {
    return [...this.#parts.terminals.values()].flatMap(({ poiId, pausedAt }) =>
      pausedAt === undefined ? [] : [{ terminal: poiId, at: pausedAt }],
    );
  }

  #send(frame: EmulatorFrame, acknowledged?: () => void): void {
    this.#link.send(JSON.stringify(frame), acknowledged);
  }
}
