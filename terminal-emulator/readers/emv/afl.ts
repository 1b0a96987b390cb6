import { TlvError } from './tlv.ts';

/** Consecutive records in one file. The records hold data of the application (EMV Book 3 §10.2). */
export interface AflEntry {
  readonly sfi: number;
  readonly firstRecord: number;
  readonly lastRecord: number;
}

/** The maximum number of records in a list. No card has more, so a longer list is broken. */
const mostRecords = 64;

/**
 * Parses an application file locator (tag 94).
 * @throws TlvError
 */
export function parseAfl(bytes: Uint8Array): AflEntry[] {
  if (bytes.length % 4 !== 0) throw new TlvError('the AFL must have four bytes for each file');
  const entries: AflEntry[] = [];
  let records = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const [file = 0, firstRecord = 0, lastRecord = 0] = bytes.subarray(at, at + 3);
    const sfi = file >> 3;
    if ((file & 7) !== 0 || sfi < 1 || sfi > 30) throw new TlvError('an entry of the AFL names no file');
    if (firstRecord < 1 || lastRecord < firstRecord)
      throw new TlvError('an entry of the AFL names no record');
    records += lastRecord - firstRecord + 1;
    if (records > mostRecords) throw new TlvError('the AFL names too many records');
    entries.push({ sfi, firstRecord, lastRecord });
  }
  return entries;
}
