import { fromHex, toHex } from '../hex.ts';
import { type CardApplication, CardError } from '../reader-driver.ts';
import { makeReadRecordCommand, makeSelectCommand, ppseName, pseName } from './apdu.ts';
import { applicationDisplayName } from './application-label.ts';
import type { EmvSession } from './emv-session.ts';
import { findAllTlv, findTlv, parseTlv, type Tlv, TlvError } from './tlv.ts';

/** An application as the card lists it, before the application is started. */
export type ListedApplication = Pick<CardApplication, 'aid' | 'label' | 'priority'>;

/** The AIDs that the terminal tries one by one if a card has no directory. */
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
const blockedApplication = 0x6283;
const blockedCard = 0x6a81;
/**
 * `mostDirectoryRecords` limits the records that are read from a directory. `mostOfOneName` limits the applications
 * whose AIDs begin with the same bytes.
 */
const mostDirectoryRecords = 16;
const mostOfOneName = 4;

/**
 * Lists the payment applications of a card, beginning with the card's first choice. The applications come from the
 * directory of the contactless card (PPSE) or the contact card (PSE). If the directory is absent or malformed, the
 * known AIDs are tried (EMV Book 1 §12.3).
 */
export async function listApplications(session: EmvSession): Promise<ListedApplication[]> {
  const fromDirectory = session.contactless
    ? await wellFormed(() => readPpse(session))
    : ((await wellFormed(() => readPse(session))) ?? (await wellFormed(() => readPpse(session))));
  const found = fromDirectory?.length ? fromDirectory : await tryKnownAids(session);
  const unique = found.filter((each, at) => found.findIndex((other) => other.aid === each.aid) === at);
  // Priority 0 means that the card gives no priority. Applications with priority 0 come last, in the card's own order.
  return unique.sort((a, b) => (a.priority || 16) - (b.priority || 16));
}

/** Runs `read`; gives undefined if the card's data is malformed. */
async function wellFormed<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
}

async function readPpse(session: EmvSession): Promise<ListedApplication[] | undefined> {
  const { status, data } = await session.exchange(makeSelectCommand(ppseName));
  if (status !== 0x9000) return undefined;
  return applicationsIn(parseTlv(data));
}

async function readPse(session: EmvSession): Promise<ListedApplication[] | undefined> {
  const { status, data } = await session.exchange(makeSelectCommand(pseName));
  if (status !== 0x9000) return undefined;
  const sfi = findTlv(parseTlv(data), 0x88)?.value[0];
  if (sfi === undefined || sfi < 1 || sfi > 30) return undefined;
  const applications: ListedApplication[] = [];
  for (let record = 1; record <= mostDirectoryRecords; record++) {
    const answer = await session.exchange(makeReadRecordCommand(record, sfi));
    if (answer.status === recordNotFound) break;
    if (answer.status !== 0x9000) return undefined;
    const [template, ...more] = parseTlv(answer.data);
    if (template?.tag !== 0x70 || more.length > 0)
      throw new TlvError('a directory record must be one template 70');
    const entries = applicationsIn([template]);
    if (entries.length === 0) throw new TlvError('a directory record names no application');
    applications.push(...entries);
  }
  return applications;
}

function applicationsIn(objects: readonly Tlv[]): ListedApplication[] {
  return findAllTlv(objects, 0x61).map((entry) => {
    const aid = findTlv(entry.children ?? [], 0x4f)?.value;
    const named = aid && application(aid, entry.children ?? []);
    if (!named) throw new TlvError('a directory entry names no application');
    return named;
  });
}

/** Makes an application from its directory entry or its FCI; undefined if the AID is invalid. */
function application(aid: Uint8Array, objects: readonly Tlv[]): ListedApplication | undefined {
  if (aid.length < 5 || aid.length > 16) return undefined;
  const name = toHex(aid);
  return {
    aid: name,
    label: applicationDisplayName(objects) || name.slice(0, 16),
    priority: (findTlv(objects, 0x87)?.value[0] ?? 0) & 0x0f,
  };
}

async function tryKnownAids(session: EmvSession): Promise<ListedApplication[]> {
  const found: ListedApplication[] = [];
  for (const aid of knownAids) found.push(...(await tryAid(session, fromHex(aid))));
  return found;
}

/**
 * Selects all applications whose AIDs begin with `aid`. After the first one, the card is asked for the next one (EMV
 * Book 1 §12.3.3).
 */
async function tryAid(session: EmvSession, aid: Uint8Array): Promise<ListedApplication[]> {
  const found: ListedApplication[] = [];
  const seen = new Set<string>();
  while (seen.size < mostOfOneName) {
    const { status, data } = await session.exchange(makeSelectCommand(aid, { next: seen.size > 0 }));
    if (status === blockedCard) throw new CardError('UNSUPPORTED_APP', 'the card is blocked');
    if (status !== 0x9000 && status !== blockedApplication) return found;
    const fci = (await wellFormed(() => parseTlv(data))) ?? [];
    const name = findTlv(fci, 0x84)?.value ?? aid;
    const each = application(name, fci);
    if (!each || seen.has(each.aid)) return found;
    seen.add(each.aid);
    if (status !== blockedApplication) found.push(each);
    if (name.length <= aid.length) return found;
  }
  return found;
}
