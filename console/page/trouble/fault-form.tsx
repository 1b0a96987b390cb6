import { useState } from 'preact/hooks';
import { control } from '../control.ts';
import { requests } from './requests.ts';
import { millisecondsOf, useAct } from './use-act.ts';
import { type FaultName, faultNames } from './words.ts';

type RequestName = keyof typeof requests;

/** What happens to requests and answers between a point of sale and the gateway. */
export function FaultForm({ onSet }: { onSet: () => void }) {
  const [fault, setFault] = useState<FaultName>('dropAnswer');
  const [request, setRequest] = useState<RequestName>('payment');
  const [seconds, setSeconds] = useState('45');
  const [status, setStatus] = useState('503');
  const [times, setTimes] = useState('1');
  const { act, busy, problem, say } = useAct();
  const set = (event: Event) => {
    event.preventDefault();
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
      <form class="setting" onSubmit={set}>
        <label>
          <span>What happens</span>
          <select value={fault} onInput={({ currentTarget }) => setFault(currentTarget.value as FaultName)}>
            {Object.entries(faultNames).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>of</span>
          <select
            value={request}
            onInput={({ currentTarget }) => setRequest(currentTarget.value as RequestName)}
          >
            {Object.entries(requests).map(([value, { text }]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {fault === 'delayAnswer' && (
          <label>
            <span>by seconds</span>
            <input
              inputMode="decimal"
              value={seconds}
              onInput={({ currentTarget }) => setSeconds(currentTarget.value)}
            />
          </label>
        )}
        {fault === 'failAnswer' && (
          <label>
            <span>which</span>
            <select value={status} onInput={({ currentTarget }) => setStatus(currentTarget.value)}>
              {['500', '502', '503', '504'].map((code) => (
                <option key={code}>{code}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span>how often</span>
          <select value={times} onInput={({ currentTarget }) => setTimes(currentTarget.value)}>
            <option value="1">once</option>
            <option value="2">twice</option>
            <option value="3">3 times</option>
            <option value="all">until taken back</option>
          </select>
        </label>
        <button type="submit" class="primary" disabled={busy}>
          Set the fault
        </button>
        <p class="problem" role="alert">
          {problem}
        </p>
      </form>
      <p class="none">
        {fault === 'dropRequest'
          ? 'The gateway never sees the request; the point of sale sees its connection break.'
          : 'The request is executed. The point of sale must find out what became of it.'}
      </p>
    </section>
  );
}
