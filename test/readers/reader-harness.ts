import { onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import {
  defaultCards,
  type EmulatedReaderAddress,
  type EmulatedReaderOptions,
  type EmulatedTerminal,
  runReaderEmulator,
} from '../../terminal-emulator/index.ts';
import type { ReaderEmulator } from '../../terminal-emulator/readers/emulators/run-emulator.ts';
import type { TransactionResult } from '../stack/stack-harness.ts';

/** Plugs in an emulated reader. The reader is unplugged after the test, or earlier by `close`. */
export async function plugIn(
  reader: EmulatedReaderOptions,
  place: EmulatedReaderAddress,
  cards: readonly TestCardDefinition[] = defaultCards,
): Promise<ReaderEmulator> {
  const emulator = await runReaderEmulator({ reader, place, cards }, { clock: systemClock });
  onTestFinished(() => emulator.close());
  return emulator;
}

export const anyTcpPort: EmulatedReaderAddress = { kind: 'tcp', host: '127.0.0.1', port: 0 };

/** A whole stack in real time with real reader drivers, used over HTTP. */
export class ReaderHarness {
  readonly stack: Stack;

  constructor(stack: Stack) {
    this.stack = stack;
  }

  /** Sends a payment request to the terminal of that number, counted from 0. */
  async pay(requestedAmount: number, terminal = 0): Promise<TransactionResult> {
    const { url, terminals, tokens } = this.stack;
    const response = await fetch(`${url}/terminals/${terminals[terminal]?.identifier}/payment-request`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${tokens[0]?.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount } } }),
    });
    return (await response.json()) as TransactionResult;
  }

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const { url, controlToken } = this.stack;
    const response = await fetch(`${url}/control${path}`, {
      method,
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Does at a terminal what a person would do. */
  act(what: string, body: object = {}, terminal = 0): Promise<unknown> {
    return this.control('POST', `/terminals/${this.#poiId(terminal)}/${what}`, body);
  }

  /** Resolves to the screen, over HTTP, as soon as it shows one of these states. */
  until(states: string, terminal = 0): Promise<Screen> {
    return this.control(
      'GET',
      `/terminals/${this.#poiId(terminal)}/screen?until=${states}`,
    ) as Promise<Screen>;
  }

  /**
   * Resolves when a terminal's screen says that all its readers are ready. If `ready` is false, resolves when the
   * screen says that no reader is ready.
   */
  readers(ready: boolean, terminal = 0): Promise<void> {
    return this.#device((device) => device.readers.every((reader) => reader.ready === ready), terminal);
  }

  /** Resolves when a terminal's screen has this title. */
  titled(title: string, terminal = 0): Promise<void> {
    return this.#device((device) => device.screen().title === title, terminal);
  }

  #device(is: (device: EmulatedTerminal) => boolean, terminal: number): Promise<void> {
    const device = this.stack.emulator?.terminal(this.#poiId(terminal));
    return new Promise((resolve) => {
      const look = () => {
        if (!device || !is(device)) return;
        stop?.();
        resolve();
      };
      const stop = device?.onChange(look);
      look();
    });
  }

  /** Returns the lines about readers that the control API returns with the terminal's screen. */
  async readerLines(terminal = 0): Promise<string[]> {
    const screen = (await this.control('GET', `/terminals/${this.#poiId(terminal)}/screen`)) as Screen;
    return (screen.readers ?? []).map(({ line }) => line);
  }

  #poiId(terminal: number): string {
    return this.stack.terminals[terminal]?.poiId ?? '';
  }
}

/** Starts a stack with these readers, named as in `--reader`. It is closed after the test. */
export async function readerHarness(
  readers: readonly string[],
  changes: ConfigChanges = {},
  place: { memory: true } | { data: string } = { memory: true },
): Promise<ReaderHarness> {
  const config = resolveConfig(undefined, { port: 0, pacing: 'instant', ...place, ...changes });
  const stack = await startStack(config, { terminals: true, readers });
  onTestFinished(() => stack.close());
  const harness = new ReaderHarness(stack);
  await harness.until('idle');
  return harness;
}
