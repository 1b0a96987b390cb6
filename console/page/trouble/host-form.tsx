import { useState } from 'preact/hooks';
import type { OutcomeInput, OutcomeRules, PaymentSummary } from '../../../client/openapi-types.ts';
import type { ConsoleStore } from '../console-store.ts';
import { control, path } from '../control.ts';
import { useRead } from '../use-read.ts';
import { millisecondsOf, useAct } from './use-act.ts';
import type { Refusal } from './words.ts';

const behaviours = {
  decline: 'declines',
  approve: 'approves',
  wrongPin: 'rejects every PIN',
  silent: 'never answers',
  late: 'answers late',
} as const;
type Behaviour = keyof typeof behaviours;

const usual: Refusal = {
  errorCondition: 'Refusal',
  refusalReason: '214 Declined online',
  message: 'DECLINED',
};

interface HostFormProps {
  readonly store: ConsoleStore;
  readonly rules: OutcomeRules | undefined;
  readonly onSet: () => void;
}

/** What the acquirer's host does with the next payment of a terminal, or with one that is under way. */
export function HostForm({ store, rules, onSet }: HostFormProps) {
  const [subject, setSubject] = useState('');
  const [behaviour, setBehaviour] = useState<Behaviour>('decline');
  const [reason, setReason] = useState(usual.message);
  const [seconds, setSeconds] = useState('45');
  const [mode, setMode] = useState<'once' | 'always'>('once');
  const { act, busy, problem, say } = useAct();
  const payments = useRead<PaymentSummary[]>(store, '/payments?limit=50', /^payment\./).data ?? [];
  const open = payments.filter(({ state }) => state !== 'concluded');
  const refusals = refusalsOf(rules);
  const subjects = [
    ...store.terminals.map(({ id, poiId }) => ({ value: `terminals/${id}`, text: poiId })),
    ...open.map(({ identifier, poiId, amount, currency }) => ({
      value: `payments/${identifier}`,
      text: `the payment of ${currency} ${amount} on ${poiId ?? 'a terminal that is gone'}`,
    })),
  ];
  const chosen = subjects.find(({ value }) => value === subject) ?? subjects[0];
  const isPayment = chosen?.value.startsWith('payments/') ?? false;

  const outcome = (): OutcomeInput | undefined => {
    if (behaviour === 'decline') {
      const refusal = refusals.find(({ message }) => message === reason) ?? refusals[0] ?? usual;
      return { type: 'decline', ...refusal };
    }
    if (behaviour !== 'late') return { type: behaviour };
    const delayMs = millisecondsOf(seconds);
    return delayMs ? { type: 'late', delayMs } : undefined;
  };
  const set = (event: Event) => {
    event.preventDefault();
    const wanted = outcome();
    if (!wanted) return say('So many seconds, such as 45');
    const [kind = '', id = ''] = chosen?.value.split('/') ?? [];
    void act(async () => {
      const body = { outcome: wanted, ...(isPayment ? {} : { mode }) };
      await control('PUT', `/${kind}${path`/${id}/outcome`}`, body);
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
        <form class="setting" onSubmit={set}>
          <label>
            <span>For</span>
            <select value={chosen.value} onInput={({ currentTarget }) => setSubject(currentTarget.value)}>
              {subjects.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>the issuer</span>
            <select
              value={behaviour}
              onInput={({ currentTarget }) => setBehaviour(currentTarget.value as Behaviour)}
            >
              {Object.entries(behaviours).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          {behaviour === 'decline' && (
            <label>
              <span>because</span>
              <select value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)}>
                {refusals.map(({ refusalReason, message }) => (
                  <option key={message} value={message}>
                    {refusalReason} ({message})
                  </option>
                ))}
              </select>
            </label>
          )}
          {behaviour === 'late' && (
            <label>
              <span>by seconds</span>
              <input
                inputMode="decimal"
                value={seconds}
                onInput={({ currentTarget }) => setSeconds(currentTarget.value)}
              />
            </label>
          )}
          {!isPayment && (
            <label>
              <span>how often</span>
              <select
                value={mode}
                onInput={({ currentTarget }) => setMode(currentTarget.value as typeof mode)}
              >
                <option value="once">for the next payment</option>
                <option value="always">until taken back</option>
              </select>
            </label>
          )}
          <button type="submit" class="primary" disabled={busy}>
            Set the answer
          </button>
          <p class="problem" role="alert">
            {problem}
          </p>
        </form>
      )}
    </section>
  );
}

/** The refusals that amounts can choose, the usual one first; a wrong PIN is a behaviour of its own. */
function refusalsOf(rules: OutcomeRules | undefined): readonly Refusal[] {
  const byMessage = new Map([[usual.message, usual]]);
  for (const { ending: _, ...refusal } of rules?.amountEndings ?? [])
    if (refusal.errorCondition !== 'WrongPIN' && !byMessage.has(refusal.message))
      byMessage.set(refusal.message, refusal);
  return [...byMessage.values()];
}
