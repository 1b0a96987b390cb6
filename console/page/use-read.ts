import { useCallback, useEffect, useState } from 'preact/hooks';
import type { JournalEntry } from '../../shared/journal.ts';
import type { ConsoleStore } from './console-store.ts';
import { control } from './control.ts';

/** What was read of the gateway; `failed` says why it could not be. */
interface Read<Data> {
  readonly data: Data | undefined;
  readonly failed: string | undefined;
  /** Reads it again at once, as after an action. */
  readonly again: () => void;
}

/** Kinds of entries after which it may be another; or, where the kind does not say it, a function that is always the same one. */
type Kinds = RegExp | ((entry: JournalEntry) => boolean);

/** So soon after something happened it is read again; what happens in between is read with it. */
const settleMs = 200;

/** What a path of the control API answers, read again whenever the journal gets entries of these kinds. */
export function useRead<Data>(store: ConsoleStore, path: string | undefined, kinds: Kinds): Read<Data> {
  const [read, setRead] = useState<{ path?: string; data?: Data; failed?: string }>({});
  const [wanted, want] = useState(0);
  const again = useCallback(() => want((count) => count + 1), []);
  useEffect(() => {
    if (path === undefined) return;
    let current = true;
    control<Data>('GET', path).then(
      (data) => current && setRead({ path, data }),
      (error: Error) => current && setRead((before) => ({ ...before, path, failed: error.message })),
    );
    return () => {
      current = false;
    };
  }, [path, wanted]);
  useEffect(() => {
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
  // What was read of another path is not this one's.
  return { data: read.path === path ? read.data : undefined, failed: read.failed, again };
}
