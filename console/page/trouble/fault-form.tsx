import { useState } from 'preact/hooks';
import type { Account, Webhook } from '../../../client/openapi-types.ts';
import { callControl } from '../control.ts';
import { useControlQuery } from '../use-control-query.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import {
  type FaultField,
  faultFieldsAndEffects,
  isEventFault,
  parseWholeNumber,
  type SettableFaultName,
} from './fault-fields.ts';
import { faultTitles } from './fault-words.ts';
import { ChoiceField, NumberField, SettingForm } from './fields.tsx';
import { faultableRequests, faultableRequestTitles } from './requests.ts';
import { occurrenceTexts } from './words.ts';

type RequestName = keyof typeof faultableRequests;

const settable = Object.keys(faultFieldsAndEffects) as SettableFaultName[];
const names = Object.fromEntries(settable.map((name) => [name, faultTitles[name]])) as Record<
  SettableFaultName,
  string
>;
/** A form that sets faults of requests, answers and events between a point of sale and the gateway. */
export function FaultForm({ onSet }: { onSet: () => void }) {
  const [fault, setFault] = useState<SettableFaultName>('dropAnswer');
  const [request, setRequest] = useState<RequestName>('payment');
  const [webhook, setWebhook] = useState('');
  const [account, setAccount] = useState('');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [after, setAfter] = useState('0');
  const [times, setTimes] = useState('1');
  const { act, busy, problem, say } = useGatewayCalls();
  const { field, explanation } = faultFieldsAndEffects[fault];
  const text = field && (texts[`${fault} ${field.name}`] ?? field.initial);
  const set = () => {
    const value = field?.read(text ?? '');
    if (field && value === undefined) return say(field.wanted);
    const letsThrough = parseWholeNumber(after);
    if (letsThrough === undefined)
      return say('Type the number of requests or events before the fault, such as 0');
    const { method, path } = faultableRequests[request];
    const body = {
      fault,
      ...(isEventFault(fault) ? { endpointId: webhook || undefined } : { method, path }),
      accountId: account || undefined,
      after: letsThrough,
      times: times === 'all' ? null : Number(times),
      ...(field && { [field.name]: value }),
    };
    void act(async () => {
      await callControl('POST', '/faults', body);
      onSet();
    });
  };
  return (
    <section class="trouble-card" aria-labelledby="fault-title">
      <h2 id="fault-title">On the way to the gateway and back</h2>
      <SettingForm onSet={set} busy={busy} problem={problem} submit="Set the fault">
        <ChoiceField label="What happens" value={fault} names={names} onChoose={setFault} />
        {isEventFault(fault) ? (
          <WebhookChoice value={webhook} onChoose={setWebhook} />
        ) : (
          <ChoiceField label="of" value={request} names={faultableRequestTitles} onChoose={setRequest} />
        )}
        <AccountChoice value={account} onChoose={setAccount} />
        {field && (
          <FieldOfKind
            field={field}
            text={text ?? ''}
            onSay={(said) => setTexts({ ...texts, [`${fault} ${field.name}`]: said })}
          />
        )}
        <NumberField label="first let through" value={after} onType={setAfter} />
        <ChoiceField label="how often" value={times} names={occurrenceTexts} onChoose={setTimes} />
      </SettingForm>
      <p class="none">{explanation}</p>
    </section>
  );
}

interface FieldOfKindProps {
  readonly field: FaultField;
  readonly text: string;
  readonly onSay: (text: string) => void;
}

function FieldOfKind({ field: { label, choices }, text, onSay }: FieldOfKindProps) {
  if (choices) return <ChoiceField label={label} value={text} names={choices} onChoose={onSay} />;
  return <NumberField label={label} value={text} onType={onSay} />;
}

interface ChoiceOfOne {
  readonly value: string;
  readonly onChoose: (id: string) => void;
}

/**
 * Lets the user choose the account whose requests or events have the fault. Shows nothing if there is only one account.
 */
function AccountChoice({ value, onChoose }: ChoiceOfOne) {
  const { data = [] } = useControlQuery<Account[]>('/accounts', /^control\.changed/);
  if (data.length < 2) return null;
  const names = Object.fromEntries(data.map(({ id, name }) => [id, name]));
  return (
    <ChoiceField
      label="of account"
      value={value}
      names={{ '': 'any account', ...names }}
      onChoose={onChoose}
    />
  );
}

function WebhookChoice({ value, onChoose }: ChoiceOfOne) {
  const { data = [] } = useControlQuery<Webhook[]>('/webhooks', /^control\.changed/);
  const names = Object.fromEntries(data.map(({ id }) => [id, id]));
  return <ChoiceField label="to" value={value} names={{ '': 'any webhook', ...names }} onChoose={onChoose} />;
}
