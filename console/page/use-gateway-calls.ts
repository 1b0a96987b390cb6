import { useState } from 'preact/hooks';

/**
 * Makes calls to the gateway for the user. `busy` is true during a call. `problem` is the reason why the last call
 * failed.
 */
export function useGatewayCalls() {
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
