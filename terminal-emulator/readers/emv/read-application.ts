import { type CardAccount, type CardApplication, CardError } from '../reader-driver.ts';
import { readAccountFromTlvs } from './account-from-objects.ts';
import { makeReadRecordCommand } from './apdu.ts';
import type { EmvSession } from './emv-session.ts';
import type { ListedApplication } from './list-applications.ts';
import type { TransactionData } from './pdol.ts';
import { type StartedApplication, startApplication, UnusableApplicationError } from './start-application.ts';
import { parseTlv, type Tlv } from './tlv.ts';

/**
 * Starts one application and reads the account from which it pays. Gives undefined if the application cannot be used
 * here.
 *
 * @throws UnusableApplicationError, TlvError; CardError for a failure of the whole card
 */
export async function readApplication(
  session: EmvSession,
  listed: ListedApplication,
  transaction: TransactionData,
  fingerprintKey: Uint8Array,
): Promise<CardApplication | undefined> {
  const started = await startApplication(session, listed, transaction);
  if (!started) return undefined;
  const objects = [...started.objects, ...(await readRecords(session, started))];
  return { ...listed, ...accountOf(objects, { aid: listed.aid, fingerprintKey }) };
}

async function readRecords(session: EmvSession, { files }: StartedApplication): Promise<Tlv[]> {
  const objects: Tlv[] = [];
  for (const { sfi, firstRecord, lastRecord } of files) {
    for (let record = firstRecord; record <= lastRecord; record++) {
      const { status, data } = await session.exchange(makeReadRecordCommand(record, sfi));
      if (status !== 0x9000) throw new UnusableApplicationError('a record that the card names is missing');
      // Files with a number above 10 belong to the issuer and need not be TLV (EMV Book 3 §6.5.11).
      if (sfi <= 10) objects.push(...parseTlv(data));
    }
  }
  return objects;
}

function accountOf(...given: Parameters<typeof readAccountFromTlvs>): CardAccount {
  try {
    return readAccountFromTlvs(...given);
  } catch (error) {
    throw error instanceof CardError ? new UnusableApplicationError(error.message) : error;
  }
}
