import type { ComponentChildren } from 'preact';

/** Shows a date and time in UTC, without fractions of a second. Shows a dash if there is no time. */
export function DateTimeText({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="none">–</span>;
  return <time dateTime={at}>{at.replace('T', ' ').replace(/\.\d+Z$/, '')}</time>;
}

/** Shows an amount in major units, with its currency. */
export function MoneyText({ amount, currency }: { amount: number; currency: string }) {
  const text = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 3 }).format(
    amount,
  );
  return (
    <span class="money">
      {currency} {/^(JPY|KRW|CLP|ISK|VND|XAF|XOF)$/.test(currency) ? String(amount) : text}
    </span>
  );
}

const tones: Record<string, string> = {
  success: 'success',
  paid: 'success',
  completed: 'success',
  delivered: 'success',
  submitted: 'success',
  failure: 'error',
  failed: 'error',
  declined: 'error',
  expired: 'error',
};

/** Shows a state as a word. The colour depends on the state. */
export function StateWord({ state, children }: { state: string; children?: ComponentChildren }) {
  return <span class={`state ${tones[state] ?? ''}`}>{children ?? state}</span>;
}

/** Names and values of one record. Missing values are left out. */
export function FactList({ facts }: { facts: Readonly<Record<string, ComponentChildren>> }) {
  const given = Object.entries(facts).filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && value !== false,
  );
  return (
    <dl class="record-facts">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
