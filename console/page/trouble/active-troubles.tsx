import type { Fault, MomentPlan, Moments, OutcomeRules, SetOutcome } from '../../../client/openapi-types.ts';
import type { ConsoleStore, TerminalFlapping } from '../console-store.ts';
import { callControl, encodePath } from '../control.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { useConsoleStore } from '../use-store.ts';
import { activeFaultText } from './fault-words.ts';
import { activeOutcomeText, momentPlanText } from './words.ts';

interface SetNowProps {
  readonly rules: { readonly data: OutcomeRules | undefined; readonly again: () => void };
  readonly faults: { readonly data: readonly Fault[] | undefined; readonly again: () => void };
  readonly moments: { readonly data: Moments | undefined; readonly again: () => void };
}

/** A trouble that is set, and the call that removes the trouble. */
interface Trouble {
  readonly key: string;
  readonly where: string;
  readonly what: string;
  takeBack(): Promise<unknown>;
}

/**
 * Shows everything that is set to go wrong now or later. This way, a user sees settings that an earlier user has
 * forgotten to remove.
 */
export function ActiveTroubles({ rules, faults, moments }: SetNowProps) {
  const store = useConsoleStore();
  const { act, busy, problem } = useGatewayCalls();
  const troubles = [
    ...(rules.data?.set ?? []).map((set) => outcomeTrouble(store, set)),
    ...(faults.data ?? []).map(faultTrouble),
    ...(moments.data?.set ?? []).map(momentTrouble),
    ...store.usable.flatMap(({ poiId }) => terminalTroubles(store, poiId)),
  ];
  const takeBack = (those: readonly Trouble[]) =>
    act(async () => {
      const results = await Promise.allSettled(those.map((trouble) => trouble.takeBack()));
      rules.again();
      faults.again();
      moments.again();
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    });
  const goOn = async () => {
    await callControl('POST', '/moments/continue');
    moments.again();
  };
  return (
    <section class={`set-now ${troubles.length > 0 ? 'some' : ''}`} aria-labelledby="set-now-title">
      <header>
        <h1 id="set-now-title">What goes wrong next</h1>
        {troubles.length > 1 && (
          <button type="button" disabled={busy} onClick={() => takeBack(troubles)}>
            Undo everything
          </button>
        )}
      </header>
      {(moments.data?.paused ?? []).map(({ at, terminal }) => (
        <p key={`${at} ${terminal}`} class="paused" role="status">
          {terminal ?? 'The gateway'} is paused at <code>{at}</code>, and time stands still.{' '}
          <button type="button" disabled={busy} onClick={() => void act(goOn)}>
            Go on
          </button>
        </p>
      ))}
      {troubles.length === 0 ? (
        <p class="none">Nothing is set to go wrong: the card and the amount decide about each payment.</p>
      ) : (
        <ul>
          {troubles.map((trouble) => (
            <li key={trouble.key}>
              <span class="where">{trouble.where}</span>
              <span class="what">{trouble.what}</span>
              <button
                type="button"
                disabled={busy}
                aria-label={`Undo: ${trouble.where}, ${trouble.what}`}
                onClick={() => takeBack([trouble])}
              >
                Undo
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function outcomeTrouble(store: ConsoleStore, { scope, subject, mode, outcome }: SetOutcome): Trouble {
  const terminal = store.terminals.find(({ id }) => id === subject);
  const until = scope === 'payment' ? '' : mode === 'once' ? ', the next payment' : ', until you undo it';
  return {
    key: `${scope} ${subject}`,
    where: scope === 'payment' ? `Payment …${subject.slice(-6)}` : (terminal?.poiId ?? subject),
    what: activeOutcomeText(outcome) + until,
    takeBack: () =>
      callControl(
        'DELETE',
        scope === 'payment'
          ? encodePath`/payments/${subject}/outcome`
          : encodePath`/terminals/${subject}/outcome`,
      ),
  };
}

function faultTrouble(fault: Fault): Trouble {
  return {
    key: fault.id,
    where: /Events?$/.test(fault.fault) ? 'To a webhook' : 'On the way',
    what: activeFaultText(fault),
    takeBack: () => callControl('DELETE', encodePath`/faults/${fault.id}`),
  };
}

function momentTrouble(plan: MomentPlan): Trouble {
  const { moment, terminal } = plan;
  const of = terminal === undefined ? '' : `?terminal=${encodeURIComponent(terminal)}`;
  return {
    key: `${moment} ${terminal}`,
    where: terminal ?? 'Any terminal',
    what: momentPlanText(plan),
    takeBack: () => callControl('DELETE', `${encodePath`/moments/${moment}`}${of}`),
  };
}

function terminalTroubles(store: ConsoleStore, poiId: string): Trouble[] {
  const trouble = (what: string, action: string, body: unknown): Trouble => ({
    key: `${poiId} ${action}`,
    where: poiId,
    what,
    takeBack: () => callControl('POST', `${encodePath`/terminals/${poiId}/`}${action}`, body),
  });
  const slowness = store.latencyMs(poiId);
  const flapping = store.flapping(poiId);
  return [
    ...(store.screen(poiId)?.lamps.power === false
      ? [trouble('its power is off', 'power', { on: true })]
      : []),
    ...(flapping ? [trouble(flappingText(flapping), 'network', { up: true })] : []),
    ...(store.cableIn(poiId) || flapping
      ? []
      : [trouble('the network cable is out', 'network', { up: true })]),
    ...(slowness > 0
      ? [trouble(`every message takes ${slowness / 1000} s each way`, 'latency', { latencyMs: 0 })]
      : []),
  ];
}

function flappingText({ times, downMs = 0, upMs = 0 }: TerminalFlapping): string {
  const often = times === 1 ? 'once' : `${times} times`;
  return `the network breaks ${often}: gone for ${downMs / 1000} s, back for ${upMs / 1000} s`;
}
