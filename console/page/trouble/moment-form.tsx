import { useState } from 'preact/hooks';
import type { Moments } from '../../../client/openapi-types.ts';
import { followsOf } from '../../../shared/moments.ts';
import type { ConsoleStore } from '../console-store.ts';
import { control, path } from '../control.ts';
import { Choice, Setting } from './fields.tsx';
import { useAct } from './use-act.ts';
import { momentActions } from './words.ts';

interface MomentFormProps {
  readonly store: ConsoleStore;
  readonly moments: Moments | undefined;
  readonly onSet: () => void;
}

type Action = keyof typeof momentActions;

const anyTerminal = 'any';

/** Sets what happens at a moment of a payment, which has a name and says what follows. */
export function MomentForm(props: MomentFormProps) {
  const { moments } = props;
  return moments ? <Form {...props} known={moments.moments} /> : null;
}

function Form({ store, known, onSet }: MomentFormProps & { known: Moments['moments'] }) {
  const [action, setAction] = useState<Action>('powerOff');
  const [chosen, choose] = useState<string>('pin');
  const [terminal, setTerminal] = useState(anyTerminal);
  const [often, setOften] = useState<'once' | 'always'>('once');
  const { act, busy, problem } = useAct();
  const possible = known.filter(({ actions }) => actions.includes(action));
  const moment = possible.find((each) => each.moment === chosen) ?? possible[0];
  const names = Object.fromEntries(
    possible.map(({ moment: name, is }) => [name, `${name}: ${is}`]),
  ) as Record<string, string>;
  const terminals = Object.fromEntries([
    [anyTerminal, 'any terminal'],
    ...store.usable.map(({ poiId }) => [poiId, poiId]),
  ]) as Record<string, string>;
  const set = () =>
    act(async () => {
      const where = terminal === anyTerminal ? {} : { terminal };
      const times = often === 'always' ? null : 1;
      await control('PUT', path`/moments/${moment?.moment ?? ''}`, { action, ...where, times });
      onSet();
    });
  return (
    <section class="trouble-card" aria-labelledby="moments-title">
      <h2 id="moments-title">At a moment of a payment</h2>
      <Setting onSet={() => void set()} busy={busy || !moment} problem={problem} submit="Set it">
        <Choice label="Of" value={terminal} names={terminals} onChoose={setTerminal} />
        <Choice label="this happens:" value={action} names={momentActions} onChoose={setAction} />
        <Choice label="at" value={String(moment?.moment ?? '')} names={names} onChoose={choose} />
        <Choice
          label="How often"
          value={often}
          names={{ once: 'at the next payment that comes there', always: 'every time' }}
          onChoose={setOften}
        />
        {moment && (
          <p class="none">
            What follows{action === 'powerOff' && ' when it is back'}: {followsOf(action, moment.moment)}.
          </p>
        )}
      </Setting>
    </section>
  );
}
