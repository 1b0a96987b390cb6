import { useState } from 'preact/hooks';
import type { Moments } from '../../../client/openapi-types.ts';
import { consequenceText } from '../../../shared/moments.ts';
import { callControl, encodePath } from '../control.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { useConsoleStore } from '../use-store.ts';
import { parseWholeNumber } from './fault-fields.ts';
import { ChoiceField, NumberField, SettingForm } from './fields.tsx';
import { momentActionTexts, occurrenceTexts } from './words.ts';

interface MomentFormProps {
  readonly moments: Moments | undefined;
  readonly onSet: () => void;
}

type Action = keyof typeof momentActionTexts;

const anyTerminal = 'any';

/** A form that sets what happens at a moment of a payment. Each moment is shown with its name and an explanation. */
export function MomentPlanForm(props: MomentFormProps) {
  const { moments } = props;
  return moments ? <Form {...props} known={moments.moments} /> : null;
}

function Form({ known, onSet }: MomentFormProps & { known: Moments['moments'] }) {
  const { usable } = useConsoleStore();
  const [action, setAction] = useState<Action>('powerOff');
  const [chosen, choose] = useState<string>('pin');
  const [terminal, setTerminal] = useState(anyTerminal);
  const [after, setAfter] = useState('0');
  const [times, setTimes] = useState('1');
  const { act, busy, problem, say } = useGatewayCalls();
  const possible = known.filter(({ actions }) => actions.includes(action));
  const moment = possible.find((each) => each.moment === chosen) ?? possible[0];
  const names = Object.fromEntries(
    possible.map(({ moment: name, is }) => [name, `${name}: ${is}`]),
  ) as Record<string, string>;
  const terminals = Object.fromEntries([
    [anyTerminal, 'any terminal'],
    ...usable.map(({ poiId }) => [poiId, poiId]),
  ]) as Record<string, string>;
  const set = () => {
    const letPass = parseWholeNumber(after);
    if (letPass === undefined) return say('Type the number of payments before the action, such as 0');
    void act(async () => {
      const where = terminal === anyTerminal ? {} : { terminal };
      const often = { after: letPass, times: times === 'all' ? null : Number(times) };
      await callControl('PUT', encodePath`/moments/${moment?.moment ?? ''}`, { action, ...where, ...often });
      onSet();
    });
  };
  return (
    <section class="trouble-card" aria-labelledby="moments-title">
      <h2 id="moments-title">At a moment of a payment</h2>
      <SettingForm onSet={set} busy={busy || !moment} problem={problem} submit="Set it">
        <ChoiceField label="Of" value={terminal} names={terminals} onChoose={setTerminal} />
        <ChoiceField label="this happens:" value={action} names={momentActionTexts} onChoose={setAction} />
        <ChoiceField label="at" value={String(moment?.moment ?? '')} names={names} onChoose={choose} />
        <NumberField label="first let through" value={after} onType={setAfter} />
        <ChoiceField label="how often" value={times} names={occurrenceTexts} onChoose={setTimes} />
        {moment && (
          <p class="none">
            What follows{action === 'powerOff' && ' when it is back'}:{' '}
            {consequenceText(action, moment.moment)}.
          </p>
        )}
      </SettingForm>
    </section>
  );
}
