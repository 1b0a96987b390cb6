import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ReaderOpenError } from '../reader-driver.ts';

/** A card that a program is connected to. */
export interface PcscCard {
  /** One of the package's SCARD_PROTOCOL numbers. */
  readonly protocol: number;
  transmit(command: Buffer): Promise<Buffer>;
  /** Synchronous; `disposition` is what happens to the card: SCARD_UNPOWER_CARD. */
  disconnect(disposition: number): void;
}

/** A reader as PC/SC lists it: a device with two slots is two of them. */
export interface PcscListed {
  readonly name: string;
  /** SCARD_STATE bits. */
  readonly state: number;
  readonly atr: Buffer | null;
  connect(shareMode: number, protocols: number): Promise<PcscCard>;
}

export interface PcscContext {
  listReaders(): PcscListed[];
  close(): void;
}

/** What changes at the readers, as a thread of the package's own sees it. */
export interface PcscChange {
  /** `reader-attached` also comes for each reader that is there when the monitor starts, with what is in it. */
  readonly type: 'reader-attached' | 'reader-detached' | 'card-inserted' | 'card-removed' | 'error';
  /** The reader's name; what went wrong where `type` is error. */
  readonly reader: string;
  /** SCARD_STATE bits. */
  readonly state: number;
  readonly atr: Buffer | null;
}

export interface PcscMonitor {
  start(listener: (change: PcscChange) => void): void;
  stop(): void;
}

/** The part of the npm package `smartcard` that is used here. */
export interface Smartcard {
  readonly Context: new () => PcscContext;
  readonly ReaderMonitor: new () => PcscMonitor;
  readonly SCARD_SHARE_SHARED: number;
  readonly SCARD_PROTOCOL_T0: number;
  readonly SCARD_PROTOCOL_T1: number;
  readonly SCARD_UNPOWER_CARD: number;
  readonly SCARD_STATE_PRESENT: number;
}

const installIt =
  'npm install smartcard (it compiles: on Linux it needs g++, make and libpcsclite-dev, and the service pcscd)';

/**
 * Loads `smartcard`, which users install themselves: it compiles a native addon, and most need none
 * (docs/decisions/0012). It is looked for beside pinpad and in the current folder.
 *
 * @throws ReaderOpenError saying what to install
 */
export function loadSmartcard(
  places: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): Smartcard {
  for (const place of places) {
    try {
      return createRequire(place)('smartcard') as Smartcard;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') continue;
      const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
      throw new ReaderOpenError(
        'FAILED',
        `the package smartcard cannot be loaded (${why}); reinstall it: ${installIt}`,
      );
    }
  }
  throw new ReaderOpenError('NO_PORT', `PC/SC readers need the package smartcard: ${installIt}`);
}
