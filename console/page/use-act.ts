import { useState } from 'preact/hooks';

/** Makes calls to the gateway for the user, one at a time, and shows the reason if a call fails. */
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
