import { useState } from 'preact/hooks';
import type { OutcomeInput, OutcomeRules, PaymentSummary } from '../../../client/openapi-types.ts';
import { callControl, encodePath } from '../control.ts';
import { useControlQuery } from '../use-control-query.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { useConsoleStore } from '../use-store.ts';
import { ChoiceField, NumberField, parseSecondsAsMs, SettingForm } from './fields.tsx';
import type { AmountEndingRefusal } from './words.ts';

const behaviours = {
  decline: 'declines',
  approve: 'approves',
  wrongPin: 'rejects every PIN',
  silent: 'never answers',
  late: 'answers late',
} as const;
type Behaviour = keyof typeof behaviours;

const modes = { once: 'for the next payment', always: 'until you undo it' } as const;

const usual: AmountEndingRefusal = {
  errorCondition: 'Refusal',
  refusalReason: '214 Declined online',
  message: 'DECLINED',
};

interface HostFormProps {
  readonly rules: OutcomeRules | undefined;
  readonly onSet: () => void;
}

/**
 * A form that sets the acquirer's decision about the next payment of a terminal, or about a payment that is under way.
 */
export function HostOutcomeForm({ rules, onSet }: HostFormProps) {
  const { terminals } = useConsoleStore();
  const [subject, setSubject] = useState('');
  const [behaviour, setBehaviour] = useState<Behaviour>('decline');
  const [reason, setReason] = useState(usual.message);
  const [seconds, setSeconds] = useState('45');
  const [mode, setMode] = useState<keyof typeof modes>('once');
  const { act, busy, problem, say } = useGatewayCalls();
  const payments = useControlQuery<PaymentSummary[]>('/payments?limit=50', /^payment\./).data ?? [];
  const open = payments.filter(({ state }) => state !== 'concluded');
  const refusals = refusalsOf(rules);
  const subjects = Object.fromEntries([
    ...terminals.map(({ id, poiId }) => [`terminals/${id}`, poiId]),
    ...open.map(({ identifier, poiId, amount, currency }) => [
      `payments/${identifier}`,
      `the payment of ${currency} ${amount} on ${poiId ?? 'a terminal that is gone'}`,
    ]),
  ]) as Record<string, string>;
  const chosen = subject in subjects ? subject : Object.keys(subjects)[0];
  const isPayment = chosen?.startsWith('payments/') ?? false;

  const outcome = (): OutcomeInput | undefined => {
    if (behaviour === 'decline') {
      const refusal = refusals.find(({ message }) => message === reason) ?? refusals[0] ?? usual;
      return { type: 'decline', ...refusal };
    }
    if (behaviour !== 'late') return { type: behaviour };
    const delayMs = parseSecondsAsMs(seconds);
    return delayMs ? { type: 'late', delayMs } : undefined;
  };
  const set = () => {
    const wanted = outcome();
    if (!wanted) return say('Type a number of seconds, such as 45');
    const [kind = '', id = ''] = chosen?.split('/') ?? [];
    void act(async () => {
      const body = { outcome: wanted, ...(isPayment ? {} : { mode }) };
      await callControl('PUT', `/${kind}${encodePath`/${id}/outcome`}`, body);
      onSet();
    });
  };

  return (
    <section class="trouble-card" aria-labelledby="host-title">
      <h2 id="host-title">The issuer’s answer</h2>
      {chosen === undefined ? (
        <p class="none">
          There is no terminal. <code>pinpad up</code> starts two.
        </p>
      ) : (
        <SettingForm onSet={set} busy={busy} problem={problem} submit="Set the answer">
          <ChoiceField label="For" value={chosen} names={subjects} onChoose={setSubject} />
          <ChoiceField label="the issuer" value={behaviour} names={behaviours} onChoose={setBehaviour} />
          {behaviour === 'decline' && (
            <ChoiceField label="because" value={reason} names={refusalNames(refusals)} onChoose={setReason} />
          )}
          {behaviour === 'late' && <NumberField label="by seconds" value={seconds} onType={setSeconds} />}
          {!isPayment && <ChoiceField label="how often" value={mode} names={modes} onChoose={setMode} />}
        </SettingForm>
      )}
    </section>
  );
}

/**
 * Returns the refusals that the host chooses by the payment's amount. The usual refusal comes first. A wrong PIN is
 * left out, because it is a separate behaviour.
 */
function refusalsOf(rules: OutcomeRules | undefined): readonly AmountEndingRefusal[] {
  const byMessage = new Map([[usual.message, usual]]);
  for (const { ending: _, ...refusal } of rules?.amountEndings ?? [])
    if (refusal.errorCondition !== 'WrongPIN' && !byMessage.has(refusal.message))
      byMessage.set(refusal.message, refusal);
  return [...byMessage.values()];
}

function refusalNames(refusals: readonly AmountEndingRefusal[]): Record<string, string> {
  return Object.fromEntries(
    refusals.map(({ refusalReason, message }) => [message, `${refusalReason} (${message})`]),
  );
}
