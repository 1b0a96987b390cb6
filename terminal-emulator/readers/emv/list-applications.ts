import { brandOfAid } from '../brand-of-card.ts';
import { fromHex, toHex } from '../hex.ts';
import { CardError, type ReadApplication } from '../reader-driver.ts';
import { ppseName, pseName, readRecordCommand, selectCommand } from './apdu.ts';
import { applicationLabel } from './application-label.ts';
import type { EmvSession } from './emv-session.ts';
import { findAllTlv, findTlv, parseTlv, type Tlv } from './tlv.ts';

/** What is tried, one by one, on a card without a directory. */
const knownAids = [
  'A0000000031010',
  'A0000000032010',
  'A0000000032020',
  'A0000000038010',
  'A0000000041010',
  'A0000000043060',
  'A0000000046000',
  'A00000002501',
  'A0000001523010',
  'A0000003241010',
  'A0000000651010',
  'A00000033301',
  'A0000002771010',
  'A0000000421010',
  'A0000001211010',
  'A0000005241010',
  'A0000006581010',
  'A0000006200620',
  'A0000000980840',
];

const recordNotFound = 0x6a83;
/** A directory has at most this many records, and a partial name at most this many applications. */
const mostDirectoryRecords = 16;
const mostOfOneName = 4;

/**
 * The payment applications of a card, its first choice first: from the directory of a contactless (PPSE) or a
 * contact card (PSE), else by trying the AIDs we know.
 */
export async function listApplications(session: EmvSession): Promise<ReadApplication[]> {
  const fromDirectory = session.contactless
    ? await readPpse(session)
    : ((await readPse(session)) ?? (await readPpse(session)));
  const found = fromDirectory?.length ? fromDirectory : await tryKnownAids(session);
  const unique = found.filter((each, at) => found.findIndex((other) => other.aid === each.aid) === at);
  // A priority of 0 is none: such applications come last, in the card's own order.
  return unique.sort((a, b) => (a.priority || 16) - (b.priority || 16));
}

async function readPpse(session: EmvSession): Promise<ReadApplication[] | undefined> {
  const { status, data } = await session.exchange(selectCommand(ppseName));
  if (status !== 0x9000) return undefined;
  return applicationsIn(parseTlv(data));
}

async function readPse(session: EmvSession): Promise<ReadApplication[] | undefined> {
  const { status, data } = await session.exchange(selectCommand(pseName));
  if (status !== 0x9000) return undefined;
  const sfi = findTlv(parseTlv(data), 0x88)?.value[0];
  if (sfi === undefined || sfi < 1 || sfi > 30) return undefined;
  const applications: ReadApplication[] = [];
  for (let record = 1; record <= mostDirectoryRecords; record++) {
    const answer = await session.exchange(readRecordCommand(record, sfi));
    if (answer.status === recordNotFound) break;
    if (answer.status !== 0x9000) return undefined;
    applications.push(...applicationsIn(parseTlv(answer.data)));
  }
  return applications;
}

function applicationsIn(objects: readonly Tlv[]): ReadApplication[] {
  return findAllTlv(objects, 0x61).flatMap((entry) => {
    const aid = findTlv(entry.children ?? [], 0x4f)?.value;
    return aid ? (application(aid, entry.children ?? []) ?? []) : [];
  });
}

/** An application from its directory entry or FCI; undefined where the AID is none. */
export function application(aid: Uint8Array, objects: readonly Tlv[]): ReadApplication | undefined {
  if (aid.length < 5 || aid.length > 16) return undefined;
  const name = toHex(aid);
  return {
    aid: name,
    label: applicationLabel(objects) || name.slice(0, 16),
    priority: (findTlv(objects, 0x87)?.value[0] ?? 0) & 0x0f,
    brand: brandOfAid(name),
  };
}

async function tryKnownAids(session: EmvSession): Promise<ReadApplication[]> {
  const found: ReadApplication[] = [];
  for (const aid of knownAids) found.push(...(await tryAid(session, fromHex(aid))));
  return found;
}

/** A name may be the beginning of several: the card gives the next one when asked (EMV Book 1 §12.3.3). */
async function tryAid(session: EmvSession, aid: Uint8Array): Promise<ReadApplication[]> {
  const found: ReadApplication[] = [];
  while (found.length < mostOfOneName) {
    const { status, data } = await session.exchange(selectCommand(aid, { next: found.length > 0 }));
    if (status === 0x6a81) throw new CardError('UNSUPPORTED_APP', 'the card is blocked');
    if (status !== 0x9000) return found;
    const fci = parseTlv(data);
    const name = findTlv(fci, 0x84)?.value ?? aid;
    const each = application(name, fci);
    if (!each || found.some((other) => other.aid === each.aid)) return found;
    found.push(each);
    if (name.length <= aid.length) return found;
  }
  return found;
}
