import { useMemo, useRef, useState } from 'preact/hooks';
import { control } from '../control.ts';
import { useRead } from '../use-read.ts';

/** How many of the latest records are read again whenever something changes. Older ones are read once. */
const pageSize = 200;

/** A list of the control API, the latest first. New records appear by themselves; older ones are read on demand. */
export function useRecords<Each>(path: string, kinds: RegExp, idOf: (record: Each) => string) {
  const { data, failed, again } = useRead<Each[]>(`${path}?limit=${pageSize}`, kinds);
  const known = useRef<readonly Each[]>([]);
  const [version, setVersion] = useState(0);
  const [atEnd, setAtEnd] = useState(false);
  const reading = useRef(false);
  const records = useMemo(() => {
    if (data) known.current = merged(data, known.current, idOf);
    return data && known.current;
  }, [data, version]);
  const older = async () => {
    const last = known.current.at(-1);
    if (!last || atEnd || reading.current || known.current.length < pageSize) return;
    reading.current = true;
    try {
      const page = await control<Each[]>('GET', `${path}?limit=${pageSize}&before=${idOf(last)}`);
      known.current = [...known.current, ...page];
      setAtEnd(page.length < pageSize);
      setVersion((count) => count + 1);
    } catch {
      // The next scroll requests these records again.
    } finally {
      reading.current = false;
    }
  };
  return { records, failed, again, older };
}

/**
 * Returns the latest records, followed by the known older ones. If there is a gap between the two, or if there are no
 * older records, returns only the latest.
 */
function merged<Each>(
  latest: readonly Each[],
  known: readonly Each[],
  idOf: (record: Each) => string,
): readonly Each[] {
  const ids = new Set(latest.map(idOf));
  const overlaps = known.some((record) => ids.has(idOf(record)));
  if (latest.length < pageSize || !overlaps) return latest;
  return [...latest, ...known.filter((record) => !ids.has(idOf(record)))];
}
