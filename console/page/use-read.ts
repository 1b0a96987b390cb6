import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ConsoleStore } from './console-store.ts';
import { control } from './control.ts';

/** What was read of the gateway; `failed` says why it could not be. */
interface Read<Data> {
  readonly data: Data | undefined;
  readonly failed: string | undefined;
  /** Reads it again at once, as after an action. */
  readonly again: () => void;
}

/** So soon after something happened it is read again; what happens in between is read with it. */
const settleMs = 200;

/** What a path of the control API answers, read again whenever the journal gets entries of these kinds. */
export function useRead<Data>(store: ConsoleStore, path: string | undefined, kinds: RegExp): Read<Data> {
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
      if (!kinds.test(entry.kind)) return;
      timer ??= clock.setTimeout(() => {
        timer = undefined;
        again();
      }, settleMs);
    });
    return () => {
      stop();
      clock.clearTimeout(timer);
    };
  }, [store, kinds.source]);
  // What was read of another path is not this one's.
  return { data: read.path === path ? read.data : undefined, failed: read.failed, again };
}
