import type { ComponentChildren } from 'preact';
import type { useGatewayCalls } from '../use-gateway-calls.ts';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** The name of each value, in the order in which the values are shown. */
  readonly names: Readonly<Record<Value, string>>;
  readonly onChoose: (value: Value) => void;
}

/** A labelled field in which the user chooses one value. */
export function ChoiceField<Value extends string>({ label, value, names, onChoose }: ChoiceProps<Value>) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onInput={({ currentTarget }) => onChoose(currentTarget.value as Value)}>
        {Object.entries<string>(names).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}

/** A field in which the user types a number, such as a number of seconds. `parseSecondsAsMs` reads the typed text. */
export function NumberField({ label, value, onType }: TypedProps) {
  return (
    <label>
      <span>{label}</span>
      <input inputMode="decimal" value={value} onInput={({ currentTarget }) => onType(currentTarget.value)} />
    </label>
  );
}

/** Reads typed seconds as milliseconds; returns undefined if the text is not a valid number. */
export function parseSecondsAsMs(seconds: string): number | undefined {
  const text = seconds.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
}

interface SettingProps extends Pick<ReturnType<typeof useGatewayCalls>, 'busy' | 'problem'> {
  readonly onSet: () => void;
  /** The text of the button. */
  readonly submit: string;
  readonly children: ComponentChildren;
}

/** A form for a setting: its fields, its button, and, if the gateway refuses the setting, the reason. */
export function SettingForm({ onSet, busy, problem, submit, children }: SettingProps) {
  const submitted = (event: Event) => {
    event.preventDefault();
    onSet();
  };
  return (
    <form class="setting" onSubmit={submitted}>
      {children}
      <button type="submit" class="primary" disabled={busy}>
        {submit}
      </button>
      <p class="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
