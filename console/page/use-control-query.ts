import { useCallback, useEffect, useState } from 'preact/hooks';
import type { JournalEntry } from '../../shared/journal.ts';
import { callControl } from './control.ts';
import { useConsoleStore } from './use-store.ts';

/** The data that were read from the gateway. If the data could not be read, `failed` is the reason. */
interface Read<Data> {
  readonly data: Data | undefined;
  readonly failed: string | undefined;
  /** Reads the data again at once, for example after an action. */
  readonly again: () => void;
}

/**
 * Selects the journal entries that may mean a change of the data: by a pattern for an entry's kind, or by a function if
 * the kind is not enough. Every call must pass the same function object.
 */
type Kinds = RegExp | ((entry: JournalEntry) => boolean);

/**
 * The delay between a new entry of the journal and the next reading, so that several entries cause only one reading.
 */
const settleMs = 200;

/**
 * Returns the gateway's answer to a GET request for a path of the control API. Sends the request again whenever the
 * journal gets an entry that `kinds` selects. Without `kinds`, sends the request again only when `again` is called.
 */
export function useControlQuery<Data>(path: string | undefined, kinds?: Kinds): Read<Data> {
  const store = useConsoleStore();
  const [read, setRead] = useState<{ path?: string; data?: Data; failed?: string }>({});
  const [wanted, want] = useState(0);
  const again = useCallback(() => want((count) => count + 1), []);
  useEffect(() => {
    if (path === undefined) return;
    let current = true;
    callControl<Data>('GET', path).then(
      (data) => current && setRead({ path, data }),
      (error: Error) => {
        const failed = error.message;
        if (current) setRead((before) => (before.path === path ? { ...before, failed } : { path, failed }));
      },
    );
    return () => {
      current = false;
    };
  }, [path, wanted]);
  useEffect(() => {
    if (kinds === undefined) return;
    const { clock } = store;
    let timer: unknown;
    const stop = store.onEntry((entry) => {
      if (!(kinds instanceof RegExp ? kinds.test(entry.kind) : kinds(entry))) return;
      timer ??= clock.setTimeout(() => {
        timer = undefined;
        again();
      }, settleMs);
    });
    return () => {
      stop();
      clock.clearTimeout(timer);
    };
  }, [store, kinds instanceof RegExp ? kinds.source : kinds]);
  // The result for another path must not be returned for this path.
  const { data, failed } = read.path === path ? read : {};
  return { data, failed, again };
}
