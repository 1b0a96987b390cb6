import type { Fault, Moments, OutcomeRules } from '../../../client/openapi-types.ts';
import { useRead } from '../use-read.ts';
import { ActiveTroubles } from './active-troubles.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { FaultForm } from './fault-form.tsx';
import { HostForm } from './host-form.tsx';
import { MagicAmounts } from './magic-amounts.tsx';
import { MomentForm } from './moment-form.tsx';
import { TerminalTroubles } from './terminal-troubles.tsx';

/** The troubles that a test can set, and those that are set now. */
export function TroublePane() {
  const rules = useRead<OutcomeRules>('/outcomes', /^(outcome\.|ledger\.|payment\.|http\.answered)/);
  const faults = useRead<Fault[]>('/faults', /^(fault\.|webhook\.|http\.answered)/);
  const moments = useRead<Moments>('/moments', /^(moment\.|terminal\.|payment\.|gateway\.|http\.answered)/);
  return (
    <div class="trouble">
      <ActiveTroubles rules={rules} faults={faults} moments={moments} />
      <div class="cards">
        <HostForm rules={rules.data} onSet={rules.again} />
        <FaultForm onSet={faults.again} />
        <MomentForm moments={moments.data} onSet={moments.again} />
        <TerminalTroubles />
        <ClockPanel />
      </div>
      <MagicAmounts rules={rules.data} />
    </div>
  );
}
