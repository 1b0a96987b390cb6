import type { Fault, Moments, OutcomeRules } from '../../../client/openapi-types.ts';
import { useControlQuery } from '../use-control-query.ts';
import { ActiveTroubles } from './active-troubles.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { FaultForm } from './fault-form.tsx';
import { HostOutcomeForm } from './host-outcome-form.tsx';
import { MagicAmounts } from './magic-amounts.tsx';
import { MomentPlanForm } from './moment-plan-form.tsx';
import { TerminalPowerAndNetwork } from './terminal-troubles.tsx';

/** The troubles that a test can set, and those that are set now. */
export function TroublePane() {
  const rules = useControlQuery<OutcomeRules>('/outcomes', /^(outcome\.|ledger\.|payment\.|http\.answered)/);
  const faults = useControlQuery<Fault[]>('/faults', /^(fault\.|webhook\.|http\.answered)/);
  const moments = useControlQuery<Moments>(
    '/moments',
    /^(moment\.|terminal\.|payment\.|gateway\.|http\.answered)/,
  );
  return (
    <div class="trouble">
      <ActiveTroubles rules={rules} faults={faults} moments={moments} />
      <div class="cards">
        <HostOutcomeForm rules={rules.data} onSet={rules.again} />
        <FaultForm onSet={faults.again} />
        <MomentPlanForm moments={moments.data} onSet={moments.again} />
        <TerminalPowerAndNetwork />
        <ClockPanel />
      </div>
      <MagicAmounts rules={rules.data} />
    </div>
  );
}
