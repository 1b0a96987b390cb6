import type { Clock } from '../../../shared/clock.ts';
import { ReaderOpenError } from '../reader-driver.ts';
import { describeReaderSpec } from '../reader-spec.ts';
import { isContactlessAtr } from './contactless-atr.ts';
import { findSmartcardPackage } from './find-smartcard-package.ts';
import { PcscProcess } from './pcsc-process.ts';
import { listSlots, type SlotCardAtr } from './pcsc-reader.ts';

/** A reader in the list of the machine's PC/SC service. A device with two slots counts as two readers. */
export interface ListedPcscReader {
  readonly name: string;
  /** The card in the reader, in words. */
  readonly content: 'no card' | 'a chip card' | 'a contactless card' | 'a card that does not answer';
  /** The value for the option `--reader`. */
  readonly reader: string;
}

/** Lists the machine's PC/SC readers. If that fails, `problem` says why, and what to do. */
export async function listPcscReaders(
  clock: Clock,
): Promise<{ readers: ListedPcscReader[]; problem?: string }> {
  let process: PcscProcess | undefined;
  try {
    process = new PcscProcess(findSmartcardPackage(), clock);
    const slots = await listSlots(process);
    const readers = slots.map(({ name, card }) => ({
      name,
      content: described(card),
      reader: describeReaderSpec({ kind: 'pcsc', name }),
    }));
    return { readers };
  } catch (error) {
    if (error instanceof ReaderOpenError) return { readers: [], problem: error.message };
    throw error;
  } finally {
    process?.end();
  }
}

function described(content: SlotCardAtr): ListedPcscReader['content'] {
  if (content === undefined) return 'no card';
  if (content.length === 0) return 'a card that does not answer';
  return isContactlessAtr(content) ? 'a contactless card' : 'a chip card';
}
