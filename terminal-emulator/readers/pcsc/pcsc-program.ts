import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { PcscAnswer, PcscCalls, PcscRequest, PcscSlot } from './pcsc-calls.ts';
import type {
  ConnectableSlot,
  ConnectedCard,
  SmartcardContext,
  SmartcardModule,
  SmartcardSlot,
} from './smartcard.ts';

// This program makes pinpad's PC/SC calls (B204). Its argument is the file of the package `smartcard`. A thread makes
// the calls, because most of them block. The main thread never blocks, so the process ends as soon as pinpad has ended.

const [, program = '', smartcardFile = ''] = process.argv;
if (isMainThread) runAsMainThread();
else parentPort?.on('message', (request: PcscRequest) => void handleRequest(request));

function runAsMainThread(): void {
  keepOutOfCoreDumps();
  const thread = new Worker(program, { argv: [smartcardFile] });
  process.on('message', (request) => thread.postMessage(request));
  thread.on('message', (answer) => process.send?.(answer));
  // Only pinpad decides when this process ends. If a person presses Ctrl-C in a terminal, the signal goes to all
  // processes of that terminal, and would otherwise end this process too early.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // The process kills itself, because a normal exit would wait for the thread, and the thread waits for the card.
  const end = () => process.kill(process.pid, 'SIGKILL');
  process.on('disconnect', end);
  thread.on('error', end).on('exit', end);
}

/** Keeps card data out of core dumps: Linux then writes no memory of this process into a core dump. */
function keepOutOfCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Only Linux has this file. Other systems write a core dump only if they are told to.
  }
}

/** The bit of SCARD_STATE for "changed". It is the same on all systems. */
const changedBit = 0x02;
/** The bits of SCARD_STATE for "ignored", "unknown" and "unavailable". */
const goneBits = 0x01 | 0x04 | 0x08;

interface Service {
  readonly smartcard: SmartcardModule;
  /**
   * A context serves only one call at a time. So one context is for watching, and another context is for all other
   * calls.
   */
  readonly watching: SmartcardContext;
  readonly calling: SmartcardContext;
  readonly slots: readonly ConnectableSlot[];
}

/** The package and the connection to the service. If this connection becomes useless, pinpad starts a new process. */
const session: { loaded?: SmartcardModule; service?: Service } = {};
const cards = new Map<string, ConnectedCard>();

const calls: { [Name in keyof PcscCalls]: (...args: Parameters<PcscCalls[Name]>) => unknown } = {
  list() {
    const smartcard = loadSmartcard();
    cards.clear();
    for (const context of [session.service?.watching, session.service?.calling]) context?.close();
    delete session.service;
    const calling = new smartcard.Context();
    const watching = new smartcard.Context();
    const slots = calling.listReaders();
    session.service = { smartcard, calling, watching, slots };
    return slots.map(slotOf);
  },
  async watch(slots, forMs) {
    const now = await openService().watching.waitForChange(slots, forMs);
    return (now ?? []).map((slot) => {
      if (slot.state & goneBits) throw new Error('Reader unavailable');
      return slotOf(slot);
    });
  },
  async connect(name) {
    const { smartcard, slots } = openService();
    const { SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0, SCARD_PROTOCOL_T1 } = smartcard;
    const slot = slots.find((each) => each.name === name);
    if (!slot) throw new Error('Unknown reader');
    const card = await slot.connect(SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1);
    cards.set(name, card);
    return card.protocol === SCARD_PROTOCOL_T0 ? 'T=0' : 'T=1';
  },
  async transmit(name, command) {
    const card = cards.get(name);
    if (!card) throw new Error('Card was removed');
    return Uint8Array.from(await card.transmit(Buffer.from(command)));
  },
  disconnect(name) {
    const card = cards.get(name);
    cards.delete(name);
    card?.disconnect(openService().smartcard.SCARD_UNPOWER_CARD);
  },
};

async function handleRequest({ id, call, args }: PcscRequest): Promise<void> {
  parentPort?.postMessage(
    await answerTo(id, () => (calls[call] as (...given: unknown[]) => unknown)(...args)),
  );
}

async function answerTo(id: number, make: () => unknown): Promise<PcscAnswer> {
  try {
    return { id, result: await make() };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { id, failure: { message, code, loading: session.loaded === undefined } };
  }
}

function loadSmartcard(): SmartcardModule {
  session.loaded ??= createRequire(import.meta.url)(smartcardFile) as SmartcardModule;
  return session.loaded;
}

function openService(): Service {
  if (!session.service) throw new Error('Invalid context');
  return session.service;
}

function slotOf({ name, state, atr }: SmartcardSlot): PcscSlot {
  const present = (state & openService().smartcard.SCARD_STATE_PRESENT) !== 0;
  return {
    name,
    state: (state & ~changedBit) >>> 0,
    card: present ? Uint8Array.from(atr ?? []) : undefined,
  };
}
