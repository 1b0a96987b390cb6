import type { Fault, Moments, OutcomeRules } from '../../../client/openapi-types.ts';
import type { ConsoleStore } from '../console-store.ts';
import { useRead } from '../use-read.ts';
import { ClockPanel } from './clock-panel.tsx';
import { FaultForm } from './fault-form.tsx';
import { HostForm } from './host-form.tsx';
import { MagicAmounts } from './magic-amounts.tsx';
import { MomentForm } from './moment-form.tsx';
import { SetNow } from './set-now.tsx';
import { TerminalTroubles } from './terminal-troubles.tsx';

/** The troubles that a test can set, and those that are set now. */
export function TroublePane({ store }: { store: ConsoleStore }) {
  const rules = useRead<OutcomeRules>(store, '/outcomes', /^(outcome\.|ledger\.|payment\.|http\.answered)/);
  const faults = useRead<Fault[]>(store, '/faults', /^(fault\.|webhook\.|http\.answered)/);
  const moments = useRead<Moments>(
    store,
    '/moments',
    /^(moment\.|terminal\.|payment\.|gateway\.|http\.answered)/,
  );
  return (
    <div class="trouble">
      <SetNow store={store} rules={rules} faults={faults} moments={moments} />
      <div class="cards">
        <HostForm store={store} rules={rules.data} onSet={rules.again} />
        <FaultForm store={store} onSet={faults.again} />
        <MomentForm store={store} moments={moments.data} onSet={moments.again} />
        <TerminalTroubles store={store} />
        <ClockPanel store={store} />
      </div>
      <MagicAmounts rules={rules.data} />
    </div>
  );
}
