import { useState } from 'preact/hooks';
import { control } from '../control.ts';
import { Choice, Seconds, Setting } from './fields.tsx';
import { requestNames, requests } from './requests.ts';
import { millisecondsOf, useAct } from './use-act.ts';
import { type FaultName, faultNames } from './words.ts';

type RequestName = keyof typeof requests;

const statuses: Readonly<Record<string, string>> = { 500: '500', 502: '502', 503: '503', 504: '504' };
const howOften: Readonly<Record<string, string>> = {
  1: 'once',
  2: 'twice',
  3: '3 times',
  all: 'until taken back',
};

/** What happens to requests and answers between a point of sale and the gateway. */
export function FaultForm({ onSet }: { onSet: () => void }) {
  const [fault, setFault] = useState<FaultName>('dropAnswer');
  const [request, setRequest] = useState<RequestName>('payment');
  const [seconds, setSeconds] = useState('45');
  const [status, setStatus] = useState('503');
  const [times, setTimes] = useState('1');
  const { act, busy, problem, say } = useAct();
  const set = () => {
    const delayMs = millisecondsOf(seconds);
    if (fault === 'delayAnswer' && !delayMs) return say('So many seconds, such as 45');
    const { method, path } = requests[request];
    const body = {
      fault,
      method,
      path,
      times: times === 'all' ? null : Number(times),
      ...(fault === 'delayAnswer' ? { delayMs } : {}),
      ...(fault === 'failAnswer' ? { status: Number(status) } : {}),
    };
    void act(async () => {
      await control('POST', '/faults', body);
      onSet();
    });
  };
  return (
    <section class="trouble-card" aria-labelledby="fault-title">
      <h2 id="fault-title">On the way to the gateway and back</h2>
      <Setting onSet={set} busy={busy} problem={problem} submit="Set the fault">
        <Choice label="What happens" value={fault} names={faultNames} onChoose={setFault} />
        <Choice label="of" value={request} names={requestNames} onChoose={setRequest} />
        {fault === 'delayAnswer' && <Seconds label="by seconds" value={seconds} onType={setSeconds} />}
        {fault === 'failAnswer' && (
          <Choice label="which" value={status} names={statuses} onChoose={setStatus} />
        )}
        <Choice label="how often" value={times} names={howOften} onChoose={setTimes} />
      </Setting>
      <p class="none">
        {fault === 'dropRequest'
          ? 'The gateway never sees the request; the point of sale sees its connection break.'
          : 'The request is executed. The point of sale must find out what became of it.'}
      </p>
    </section>
  );
}
