import { code } from 'currency-codes';
import type { Clock } from '../../../shared/clock.ts';
import type { Random } from '../../../shared/random.ts';
import { type ApduChannel, type CardApplication, CardError, type CardRead } from '../reader-driver.ts';
import { EmvSession } from './emv-session.ts';
import { listApplications } from './list-applications.ts';
import type { TransactionData } from './pdol.ts';
import { readApplication } from './read-application.ts';
import { UnusableApplicationError } from './start-application.ts';
import { TlvError } from './tlv.ts';

/** The objects and settings that are needed to read an EMV card. */
export interface EmvReadContext {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The key with which fingerprints are made from card numbers. The key has at least 16 bytes. With the key, a card
   * number can be found from its fingerprint.
   */
  readonly fingerprintKey: Uint8Array;
  /** The terminal's country as an ISO 3166 number. The default is 840. */
  readonly countryCode?: string;
}

/** The maximum number of applications that are read. A terminal has only nine keys with which to choose one. */
const mostApplications = 9;

/**
 * Reads a chip, contact or contactless: its directory, then every application that can be used here, each with its
 * account. So a payment can charge the account of the application that the shopper chooses.
 *
 * The command GENERATE AC is never sent. Some cards give a cryptogram together with their processing options. That
 * cryptogram is for an amount of 0 and a random number, and it is thrown away. So nothing is paid and no offline
 * counter is used up. Unmasked data does not leave this function.
 *
 * @throws CardError; TransportClosedError if the line is gone; the signal's reason if it aborts
 */
export async function readCard(
  channel: ApduChannel,
  request: { currency: string; signal: AbortSignal },
  reader: EmvReadContext,
): Promise<CardRead> {
  const session = new EmvSession(channel, request.signal);
  const applications = await readApplications(session, transactionData(request, reader), reader);
  const [first] = applications;
  if (!first) throw new CardError('UNSUPPORTED_APP', 'no application of the card can be used');
  const { aid, label: _label, priority: _priority, ...account } = first;
  const entry = session.contactless ? 'Contactless' : 'ICC';
  return { ...account, entry, applications, selectedAid: aid };
}

/**
 * Reads the applications. An application that cannot be used or has no account is left out. If none is left, the
 * reading fails.
 */
async function readApplications(
  session: EmvSession,
  transaction: TransactionData,
  { fingerprintKey }: EmvReadContext,
): Promise<CardApplication[]> {
  const read: CardApplication[] = [];
  let unusable: Error | undefined;
  for (const listed of await listApplications(session)) {
    try {
      const application = await readApplication(session, listed, transaction, fingerprintKey);
      if (application) read.push(application);
    } catch (error) {
      // A shopper taps only for a short time. If the card has left the field, the applications that were already read
      // are enough to pay.
      if (error instanceof CardError && session.contactless && read.length > 0) return read;
      if (!(error instanceof UnusableApplicationError || error instanceof TlvError)) throw error;
      unusable ??= error;
    }
    if (read.length === mostApplications) break;
  }
  if (read.length === 0 && unusable) throw new CardError('BAD_READ', unusable.message);
  return read;
}

function transactionData(request: { currency: string }, reader: EmvReadContext): TransactionData {
  return {
    currencyCode: code(request.currency)?.number ?? '999',
    countryCode: reader.countryCode ?? '840',
    nowMs: reader.clock.now(),
    unpredictableNumber: reader.random.bytes(4),
  };
}
