import {
  type ReaderLine,
  ReaderOpenError,
  TransportClosedError,
  type Unsubscribe,
} from '../reader-driver.ts';
import type { PcscCalls, PcscSlot } from './pcsc-calls.ts';
import { describeFirstDevice, findMatchingPcscDevices } from './pcsc-devices.ts';
import { makeNoPcscReaderError, makePcscListError } from './pcsc-errors.ts';
import { type PcscCallTimeLimit, type PcscProcess, PcscProcessEndedError } from './pcsc-process.ts';

/**
 * The content of a slot: the card's answer to reset, or undefined if the slot is empty. The answer is empty if the chip
 * gives none.
 */
export type SlotCardAtr = PcscSlot['card'];

/**
 * The terminal to which a slot belongs. The terminal owns the slot from the moment when the reader is found until the
 * reader is closed, even while the reader is unplugged.
 */
export interface SlotOwner {
  readonly terminal: string;
}

/** The owner of each slot. A reader serves one terminal, even if it is found under two names (B205). */
export type SlotOwners = Map<string, SlotOwner>;

/** Takes all slots away from an owner. */
export function releaseSlots(owners: SlotOwners, owner: SlotOwner): void {
  for (const [slot, found] of owners) if (found === owner) owners.delete(slot);
}

/** The device that a terminal wants. */
interface WantedPcsc {
  /** A part of the device's name; case is ignored. If the name is undefined, the first device is wanted. */
  readonly name: string | undefined;
  readonly owner: SlotOwner;
  readonly owners: SlotOwners;
}

/**
 * The time limits, in ms, for an answer of the PC/SC service. `firstMs` is for the first call, because the process that
 * makes the calls may have to start first; `serviceMs` is for other calls.
 */
const serviceMs = 5_000;
const firstMs = 10_000;
/** The time between two checks whether the service still answers, in ms. */
const watchMs = 5_000;
const hangs = 'the PC/SC service does not answer: run systemctl restart pcscd';

/**
 * Lists all slots of all PC/SC readers.
 *
 * @throws ReaderOpenError if the service does not run or answer
 */
export async function listSlots(process: PcscProcess): Promise<readonly PcscSlot[]> {
  try {
    return await process.call('list', [], { limitMs: firstMs, why: hangs });
  } catch (error) {
    throw await makePcscListError(error);
  }
}

/**
 * One reader of the machine's PC/SC service, with one or more slots. It is watched until it is unplugged or until the
 * service ends.
 */
export class PcscReader implements ReaderLine {
  /** The device's name for people. Other devices that match the wanted name are mentioned after it. */
  readonly name: string;
  readonly slots: readonly string[];
  readonly #process: PcscProcess;
  readonly #onClosed = new Set<(why: string) => void>();
  readonly #onCard = new Set<(slot: string, content: SlotCardAtr) => void>();
  #known: readonly PcscSlot[];
  #closed: string | undefined;

  /**
   * Finds the wanted reader and watches it.
   * @throws ReaderOpenError if the service does not run or has no such reader, or if another terminal has the reader
   */
  static async open(process: PcscProcess, wanted: WantedPcsc, signal: AbortSignal): Promise<PcscReader> {
    const giveUp = () => process.end();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const listed = await listSlots(process);
      signal.throwIfAborted();
      return new PcscReader(process, listed, wanted);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  private constructor(process: PcscProcess, listed: readonly PcscSlot[], wanted: WantedPcsc) {
    const names = listed.map(({ name }) => name);
    const devices = findMatchingPcscDevices(names, wanted.name);
    const [device] = devices;
    if (!device && (wanted.name === undefined || names.length === 0)) throw makeNoPcscReaderError();
    if (!device)
      throw new ReaderOpenError(
        'NO_PORT',
        `no PC/SC reader is named ${wanted.name}; there are: ${names.join(', ')}`,
      );
    const { owner, owners } = wanted;
    const owned = device.find((slot) => owners.has(slot) && owners.get(slot) !== owner);
    if (owned !== undefined)
      throw new ReaderOpenError(
        'BUSY',
        `${owned} already serves ${owners.get(owned)?.terminal}: one reader serves one terminal`,
      );
    releaseSlots(owners, owner);
    for (const slot of device) owners.set(slot, owner);
    this.name = describeFirstDevice(devices, wanted.name);
    this.slots = device;
    this.#process = process;
    this.#known = listed.filter(({ name }) => device.includes(name));
    void this.#watch();
  }

  /** Calls `listener` with what is in each slot: at once, and again after each change. */
  onCard(listener: (slot: string, content: SlotCardAtr) => void): Unsubscribe {
    this.#onCard.add(listener);
    for (const { name, card } of this.#known) listener(name, card);
    return () => this.#onCard.delete(listener);
  }

  onClosed(listener: (why: string) => void): Unsubscribe {
    if (this.#closed !== undefined) listener(this.#closed);
    else this.#onClosed.add(listener);
    return () => this.#onClosed.delete(listener);
  }

  connect(slot: string): Promise<'T=0' | 'T=1'> {
    return this.#call('connect', [slot], {
      limitMs: serviceMs,
      why: `the card in ${slot} was not connected within ${serviceMs / 1_000} s`,
    });
  }

  transmit(slot: string, command: Uint8Array, limitMs: number): Promise<Uint8Array> {
    const why = `the card in ${slot} did not answer within ${limitMs / 1_000} s`;
    return this.#call('transmit', [slot, command], { limitMs, why });
  }

  /**
   * Switches a card's power off. Errors are ignored: if the slot, the reader or the service is gone, other calls notice
   * it.
   */
  async disconnect(slot: string): Promise<void> {
    await this.#call('disconnect', [slot], { limitMs: serviceMs, why: hangs }).catch(() => {});
  }

  /** Ends the connection to the reader, so that the reader is opened again. */
  end(why: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = why;
    this.#process.end();
    for (const listener of this.#onClosed) listener(why);
    this.#onClosed.clear();
    this.#onCard.clear();
  }

  async close(): Promise<void> {
    this.end('closed');
  }

  async #call<Name extends keyof PcscCalls>(
    call: Name,
    args: Parameters<PcscCalls[Name]>,
    limit: PcscCallTimeLimit,
  ): Promise<ReturnType<PcscCalls[Name]>> {
    if (this.#closed !== undefined) throw new TransportClosedError(this.#closed);
    return this.#process.call(call, args, limit);
  }

  async #watch(): Promise<void> {
    const limit = { limitMs: watchMs + serviceMs, why: hangs };
    try {
      while (this.#closed === undefined)
        this.#noteSlots(await this.#process.call('watch', [this.#known.map(stateOnly), watchMs], limit));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof PcscProcessEndedError) this.end(message);
      else this.end(/reader/i.test(message) ? 'unplugged' : `the PC/SC service ended: ${message}`);
    }
  }

  #noteSlots(now: readonly PcscSlot[]): void {
    if (now.length === 0 || this.#closed !== undefined) return;
    const before = this.#known;
    this.#known = now;
    for (const slot of now) {
      const earlier = before.find(({ name }) => name === slot.name);
      if (isSame(slot, earlier)) continue;
      for (const listener of this.#onCard) listener(slot.name, slot.card);
    }
  }
}

/**
 * Whether a slot is unchanged. The upper bits of the state count how often a card came or went. The lower bits are
 * ignored, because they change when another program uses the card.
 */
function isSame(now: PcscSlot, before: PcscSlot | undefined): boolean {
  if (before === undefined || (now.card === undefined) !== (before.card === undefined)) return false;
  if (now.card === undefined || before.card === undefined) return true;
  return now.state >>> 16 === before.state >>> 16 && Buffer.compare(now.card, before.card) === 0;
}

function stateOnly({ name, state }: PcscSlot): Pick<PcscSlot, 'name' | 'state'> {
  return { name, state };
}
