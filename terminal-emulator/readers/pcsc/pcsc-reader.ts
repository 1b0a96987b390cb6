import { type Off, type ReaderLine, ReaderOpenError, TransportClosed } from '../reader-driver.ts';
import type { PcscCalls, PcscSlot } from './pcsc-calls.ts';
import { fittingDevices, nameOfFirst } from './pcsc-devices.ts';
import { noReader, whyNotListed } from './pcsc-problem.ts';
import { type CallLimit, PcscEnded, type PcscProcess } from './pcsc-process.ts';

/** What is in a slot now: the card's answer to reset, which is empty where the chip gives none. */
export type PcscContent = PcscSlot['card'];

/** The terminal that has a slot, from when its reader is found until that is closed, also while it is unplugged. */
export interface PcscOwner {
  readonly terminal: string;
}

/** The owner of each slot: a reader serves one terminal, whatever name it was found by (B205). */
export type PcscOwners = Map<string, PcscOwner>;

/** Gives back all slots that the owner has. */
export function disown(owners: PcscOwners, owner: PcscOwner): void {
  for (const [slot, found] of owners) if (found === owner) owners.delete(slot);
}

/** How a device is found. */
interface WantedPcsc {
  /** A part of its name, in any case; undefined for the first of all. */
  readonly name: string | undefined;
  readonly owner: PcscOwner;
  readonly owners: PcscOwners;
}

/** The service answers within milliseconds; the first time its process has to start. */
const serviceMs = 5_000;
const firstMs = 10_000;
/** How often a service is noticed that does not answer any more. */
const watchMs = 5_000;
const hangs = 'the PC/SC service does not answer: systemctl restart pcscd';

/** All slots of all PC/SC readers. @throws ReaderOpenError where the service does not run or answer */
export async function listSlots(process: PcscProcess): Promise<readonly PcscSlot[]> {
  try {
    return await process.call('list', [], { limitMs: firstMs, why: hangs });
  } catch (error) {
    throw await whyNotListed(error);
  }
}

/** One reader of the machine's PC/SC service, with one slot or more, watched until it is unplugged or the service ends. */
export class PcscReader implements ReaderLine {
  /** For people: the device, and which others the name fits. */
  readonly name: string;
  readonly slots: readonly string[];
  readonly #process: PcscProcess;
  readonly #onClosed = new Set<(why: string) => void>();
  readonly #onCard = new Set<(slot: string, content: PcscContent) => void>();
  #now: readonly PcscSlot[];
  #closed: string | undefined;

  /** @throws ReaderOpenError where the service does not run, has no such reader, or another terminal has it */
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
    const devices = fittingDevices(names, wanted.name);
    const [device] = devices;
    if (!device && (wanted.name === undefined || names.length === 0)) throw noReader();
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
        `${owned} is at ${owners.get(owned)?.terminal} already: one reader serves one terminal`,
      );
    disown(owners, owner);
    for (const slot of device) owners.set(slot, owner);
    this.name = nameOfFirst(devices, wanted.name);
    this.slots = device;
    this.#process = process;
    this.#now = listed.filter(({ name }) => device.includes(name));
    void this.#watch();
  }

  /** What is in each slot, and from now on whenever that changes. */
  onCard(listener: (slot: string, content: PcscContent) => void): Off {
    this.#onCard.add(listener);
    for (const { name, card } of this.#now) listener(name, card);
    return () => this.#onCard.delete(listener);
  }

  onClosed(listener: (why: string) => void): Off {
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

  /** Takes the power from a card. That its slot, its reader or the service is gone shows elsewhere. */
  async disconnect(slot: string): Promise<void> {
    await this.#call('disconnect', [slot], { limitMs: serviceMs, why: hangs }).catch(() => {});
  }

  /** Gives it up, to be opened anew. */
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
    limit: CallLimit,
  ): Promise<ReturnType<PcscCalls[Name]>> {
    if (this.#closed !== undefined) throw new TransportClosed(this.#closed);
    return this.#process.call(call, args, limit);
  }

  async #watch(): Promise<void> {
    const limit = { limitMs: watchMs + serviceMs, why: hangs };
    try {
      while (this.#closed === undefined)
        this.#see(await this.#process.call('watch', [this.#now.map(stateOnly), watchMs], limit));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof PcscEnded) this.end(message);
      else this.end(/reader/i.test(message) ? 'unplugged' : `the PC/SC service ended: ${message}`);
    }
  }

  #see(now: readonly PcscSlot[]): void {
    if (now.length === 0 || this.#closed !== undefined) return;
    const before = this.#now;
    this.#now = now;
    for (const slot of now)
      if (
        !isSame(
          slot,
          before.find(({ name }) => name === slot.name),
        )
      )
        for (const listener of this.#onCard) listener(slot.name, slot.card);
  }
}

/** Another program that uses a card changes its state, too. The bits above count how often a card came or went. */
function isSame(now: PcscSlot, before: PcscSlot | undefined): boolean {
  if (before === undefined || (now.card === undefined) !== (before.card === undefined)) return false;
  if (now.card === undefined || before.card === undefined) return true;
  return now.state >>> 16 === before.state >>> 16 && Buffer.compare(now.card, before.card) === 0;
}

function stateOnly({ name, state }: PcscSlot): Pick<PcscSlot, 'name' | 'state'> {
  return { name, state };
}
