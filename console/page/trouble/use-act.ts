import { useState } from 'preact/hooks';

/**
 * Makes a call to the gateway that the user asked for. It makes no second one at the same time, and shows the reason if
 * the call fails.
 */
export function useAct() {
  const [problem, say] = useState<string>();
  const [busy, setBusy] = useState(false);
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    say(undefined);
    await work().catch((error: Error) => say(error.message));
    setBusy(false);
  };
  return { act, busy, problem, say };
}

/** Reads typed seconds as milliseconds; undefined if they are no valid number. */
export function millisecondsOf(seconds: string): number | undefined {
  const text = seconds.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
}
