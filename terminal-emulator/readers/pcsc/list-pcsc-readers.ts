import { ReaderOpenError } from '../reader-driver.ts';
import { describeReaderSpec } from '../reader-spec.ts';
import { isContactlessAtr } from './contactless-card.ts';
import { contentOf, listed, openContext, type PcscContent } from './pcsc-reader.ts';
import { loadSmartcard } from './smartcard.ts';

/** A reader that the machine's PC/SC service lists. */
export interface ListedPcscReader {
  readonly name: string;
  /** In words. */
  readonly content: 'no card' | 'a chip card' | 'a contactless card' | 'a card that does not answer';
  /** What to give to `--reader`. */
  readonly reader: string;
}

/** The machine's PC/SC readers, or the problem with its remedy. */
export function listPcscReaders(): { readers: ListedPcscReader[]; problem?: string } {
  try {
    const smartcard = loadSmartcard();
    const context = openContext(smartcard);
    const readers = listed(context).map((each) => ({
      name: each.name,
      content: described(contentOf(each, smartcard)),
      reader: describeReaderSpec({ kind: 'pcsc', name: each.name }),
    }));
    context.close();
    return { readers };
  } catch (error) {
    if (error instanceof ReaderOpenError) return { readers: [], problem: error.message };
    throw error;
  }
}

function described(content: PcscContent): ListedPcscReader['content'] {
  if (content === undefined) return 'no card';
  if (content.length === 0) return 'a card that does not answer';
  return isContactlessAtr(content) ? 'a contactless card' : 'a chip card';
}
