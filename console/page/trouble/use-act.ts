import { useState } from 'preact/hooks';

/** Does what the user asked for at the gateway: not twice at once, and shows why it failed. */
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

/** Milliseconds of seconds as people type them; undefined where it is no such number. */
export function millisecondsOf(seconds: string): number | undefined {
  const text = seconds.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
}
