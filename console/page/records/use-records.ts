import { useEffect, useRef, useState } from 'preact/hooks';
import { callControl } from '../control.ts';
import { useControlQuery } from '../use-control-query.ts';

/** How many of the latest records are read again whenever something changes. Older records are read once. */
const pageSize = 200;

/** The records that were read. */
interface Known<Each> {
  /** The latest page, with which `records` begins. */
  readonly latest: readonly Each[];
  /** The records, the latest first. No record between the first and the last is missing. */
  readonly records: readonly Each[];
  /** Whether `records` ends with the oldest record that the gateway has. */
  readonly atEnd: boolean;
}

/**
 * Reads a list of the control API, the latest record first. The list is read again after each journal entry whose
 * kind matches `journalKinds`. Older records are read on demand.
 */
export function useRecords<Each>(path: string, journalKinds: RegExp, idOf: (record: Each) => string) {
  const { data: latest, failed, again } = useControlQuery<Each[]>(`${path}?limit=${pageSize}`, journalKinds);
  const [stored, setStored] = useState<Known<Each>>({ latest: [], records: [], atEnd: false });
  const known = withLatest(stored, latest, idOf);
  useEffect(() => setStored((before) => withLatest(before, latest, idOf)), [latest]);
  const isReading = useRef(false);
  const older = async () => {
    const last = known.records.at(-1);
    if (!last || known.atEnd || isReading.current) return;
    isReading.current = true;
    try {
      const page = await callControl<Each[]>('GET', `${path}?limit=${pageSize}&before=${idOf(last)}`);
      setStored((before) => withOlder(before, idOf(last), page, idOf));
    } catch {
      // After a failure, the next scroll requests these records again.
    } finally {
      isReading.current = false;
    }
  };
  return { records: latest && known.records, failed, again, older };
}

/**
 * Puts the latest page before the known records. If records may be missing between the latest page and the known
 * records, forgets the known records instead.
 */
function withLatest<Each>(
  known: Known<Each>,
  latest: readonly Each[] | undefined,
  idOf: (record: Each) => string,
): Known<Each> {
  if (latest === undefined || latest === known.latest) return known;
  const ids = new Set(latest.map(idOf));
  const hasGap = !known.records.some((record) => ids.has(idOf(record)));
  if (latest.length < pageSize || hasGap) return { latest, records: latest, atEnd: latest.length < pageSize };
  const olderOnes = known.records.filter((record) => !ids.has(idOf(record)));
  return { latest, records: [...latest, ...olderOnes], atEnd: known.atEnd };
}

/** Adds the page that follows the record `last`. Does nothing if `last` is no longer the last known record. */
function withOlder<Each>(
  known: Known<Each>,
  last: string,
  page: readonly Each[],
  idOf: (record: Each) => string,
): Known<Each> {
  const end = known.records.at(-1);
  if (end === undefined || idOf(end) !== last) return known;
  return { ...known, records: [...known.records, ...page], atEnd: page.length < pageSize };
}
