import { useState } from 'preact/hooks';
import { callControl, encodePath } from '../control.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { useConsoleStore } from '../use-store.ts';
import { NumberField, parseSecondsAsMs } from './fields.tsx';

/** Controls the power, the cable and the network of each terminal. */
export function TerminalPowerAndNetwork() {
  const { usable } = useConsoleStore();
  return (
    <section class="trouble-card" aria-labelledby="terminals-title">
      <h2 id="terminals-title">The terminals</h2>
      {usable.length === 0 && (
        <p class="none">
          No terminal is connected. <code>pinpad up</code> starts two.
        </p>
      )}
      {usable.map(({ poiId }) => (
        <TerminalTrouble key={poiId} poiId={poiId} />
      ))}
    </section>
  );
}

function TerminalTrouble({ poiId }: { poiId: string }) {
  const store = useConsoleStore();
  const [seconds, setSeconds] = useState('1.5');
  const { act, busy, problem, say } = useGatewayCalls();
  const power = store.screen(poiId)?.lamps.power ?? true;
  const cable = store.cableIn(poiId);
  const slow = store.latencyMs(poiId) > 0;
  const send = (action: string, body: unknown) =>
    void act(() => callControl('POST', `${encodePath`/terminals/${poiId}/`}${action}`, body));
  const slowDown = () => {
    const latencyMs = parseSecondsAsMs(seconds);
    if (!latencyMs) return say('Type a number of seconds, such as 1.5');
    send('latency', { latencyMs });
  };
  return (
    <fieldset class="terminal-trouble">
      <legend>
        {poiId} <span class="none">{store.storeOf(poiId)}</span>
      </legend>
      <div class="buttons">
        <button type="button" disabled={busy} onClick={() => send('power', { on: !power })}>
          {power ? 'Cut the power' : 'Power on'}
        </button>
        <button type="button" disabled={busy} onClick={() => send('network', { up: !cable })}>
          {cable ? 'Pull the cable' : 'Plug the cable in'}
        </button>
        <button
          type="button"
          disabled={busy}
          title="Down for 2 s, up for 5 s, three times"
          onClick={() => send('flap', { times: 3, downMs: 2000, upMs: 5000 })}
        >
          Break the network 3 times
        </button>
      </div>
      <div class="slowness buttons">
        <NumberField label="Seconds each way" value={seconds} onType={setSeconds} />
        <button type="button" disabled={busy} onClick={slowDown}>
          Slow the network
        </button>
        {slow && (
          <button type="button" disabled={busy} onClick={() => send('latency', { latencyMs: 0 })}>
            Fast again
          </button>
        )}
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
