import { code } from 'currency-codes';
import type { Clock } from '../../../shared/clock.ts';
import { type ApduChannel, CardError, type CardRead } from '../reader-driver.ts';
import { readRecordCommand } from './apdu.ts';
import { cardReadFromObjects } from './card-read-from-objects.ts';
import { EmvSession } from './emv-session.ts';
import { listApplications } from './list-applications.ts';
import type { TransactionData } from './pdol.ts';
import { type StartedApplication, startApplication } from './start-application.ts';
import { parseTlv, type Tlv, TlvError } from './tlv.ts';

/** What an EMV reader stands on. */
export interface EmvReader {
  readonly clock: Clock;
  /** At least 16 bytes; who has it can find a number by its fingerprint. */
  readonly fingerprintKey: Uint8Array;
  /** ISO 3166 numeric, the terminal's country; 840 where absent. */
  readonly countryCode?: string;
  /** For one command; 5 s where absent. */
  readonly apduTimeoutMs?: number;
}

/**
 * Reads a chip, contact or contactless: directory, the first application that starts, its records. It never
 * asks for a cryptogram (GENERATE AC), so nothing is paid and no offline counter is spent; what is not masked
 * stays in here.
 *
 * @throws CardError; TransportClosed when the line is gone; the signal's reason when aborted.
 */
export async function readCard(
  channel: ApduChannel,
  request: { amount: number; currency: string; signal: AbortSignal },
  reader: EmvReader,
): Promise<CardRead> {
  const session = new EmvSession(channel, {
    timeoutMs: reader.apduTimeoutMs ?? 5_000,
    signal: request.signal,
  });
  try {
    const applications = await listApplications(session);
    const started = await startFirst(session, applications, transactionData(request, reader));
    const records = await readRecords(session, started);
    return cardReadFromObjects([...started.objects, ...records], {
      entry: session.contactless ? 'Contactless' : 'ICC',
      applications,
      selectedAid: started.application.aid,
      fingerprintKey: reader.fingerprintKey,
    });
  } catch (error) {
    if (error instanceof TlvError) throw new CardError('BAD_READ', error.message);
    throw error;
  }
}

async function startFirst(
  session: EmvSession,
  applications: CardRead['applications'],
  transaction: TransactionData,
): Promise<StartedApplication> {
  for (const application of applications) {
    const started = await startApplication(session, application, transaction);
    if (started) return started;
  }
  throw new CardError('UNSUPPORTED_APP', 'no application of the card can be used');
}

async function readRecords(session: EmvSession, { files }: StartedApplication): Promise<Tlv[]> {
  const objects: Tlv[] = [];
  for (const { sfi, firstRecord, lastRecord } of files) {
    for (let record = firstRecord; record <= lastRecord; record++) {
      const { status, data } = await session.exchange(readRecordCommand(record, sfi));
      if (status !== 0x9000) throw new CardError('BAD_READ', 'a record the card names is missing');
      // Files above 10 belong to the issuer and need not be TLV (EMV Book 3 §6.5.11).
      if (sfi <= 10) objects.push(...parseTlv(data));
    }
  }
  return objects;
}

function transactionData(request: { amount: number; currency: string }, reader: EmvReader): TransactionData {
  return {
    amount: request.amount,
    currencyCode: code(request.currency)?.number ?? '999',
    countryCode: reader.countryCode ?? '840',
    nowMs: reader.clock.now(),
    // A constant will do: it keeps cryptograms from being replayed, and ours are thrown away.
    unpredictableNumber: Uint8Array.of(0x11, 0x22, 0x33, 0x44),
  };
}
