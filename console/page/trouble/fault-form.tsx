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
  all: 'until you undo it',
};

const isTimed = (fault: FaultName) =>
  fault === 'delayAnswer' || fault === 'delayRequest' || fault === 'cutAnswer';

const explanations: { readonly [Name in FaultName]?: string } = {
  dropRequest: 'The gateway never sees the request; the point of sale sees its connection break.',
  delayRequest: 'The point of sale sees its connection break, and the request is executed later.',
  failRequest: 'The request is not executed.',
  duplicateRequest: 'The request and a copy of it are executed; the answer to the first is given.',
  truncateAnswer: 'The request is executed; 20 bytes of the answer come, and the connection breaks.',
  slowAnswer: 'The request is executed; 10 bytes of the answer come in a second.',
  holdAnswer:
    'The request is executed. The time of the whole gateway stands until the point of sale hangs up, for 200 s at most.',
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
    if (isTimed(fault) && !delayMs) return say('So many seconds, such as 45');
    const { method, path } = requests[request];
    const body = {
      fault,
      method,
      path,
      times: times === 'all' ? null : Number(times),
      ...(isTimed(fault) ? { [fault === 'cutAnswer' ? 'afterMs' : 'delayMs']: delayMs } : {}),
      ...(fault === 'failAnswer' || fault === 'failRequest' ? { status: Number(status) } : {}),
      ...(fault === 'truncateAnswer' ? { bytes: 20 } : {}),
      ...(fault === 'slowAnswer' ? { bytesPerSecond: 10 } : {}),
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
        {isTimed(fault) && (
          <Seconds
            label={fault === 'cutAnswer' ? 'after seconds' : 'by seconds'}
            value={seconds}
            onType={setSeconds}
          />
        )}
        {(fault === 'failAnswer' || fault === 'failRequest') && (
          <Choice label="which" value={status} names={statuses} onChoose={setStatus} />
        )}
        <Choice label="how often" value={times} names={howOften} onChoose={setTimes} />
      </Setting>
      <p class="none">
        {explanations[fault] ?? 'The request is executed. The point of sale must find out what became of it.'}
      </p>
    </section>
  );
}
