import { useState } from 'preact/hooks';
import type { Clock, ClockAdvanced } from '../../../client/openapi-types.ts';
import { callControl } from '../control.ts';
import { linkTo } from '../route.ts';
import { useControlQuery } from '../use-control-query.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { useConsoleStore } from '../use-store.ts';

/**
 * The lengths of time by which a user can move the clock forward. Each length is enough to make another timer of the
 * service expire.
 */
const stretches = [
  ['1 s', 1_000],
  ['30 s', 30_000],
  ['150 s', 150_000],
  ['1 h', 3_600_000],
  ['48 h', 172_800_000],
  ['7 days', 604_800_000],
] as const;

/** The virtual clock. The user can move it by a length of time, to a moment, or to the next event that falls due. */
export function ClockPanel() {
  const { virtualClock } = useConsoleStore();
  const { data: clock, again } = useControlQuery<Clock>('/clock', /^(clock|http|payment|link)\./);
  const [moment, setMoment] = useState('');
  const [last, setLast] = useState<ClockAdvanced>();
  const { act, busy, problem, say } = useGatewayCalls();
  const advance = (body: { ms: number } | { to: string }) =>
    void act(async () => {
      setLast(await callControl<ClockAdvanced>('POST', '/clock/advance', body));
      again();
    });
  const toMoment = (event: Event) => {
    event.preventDefault();
    const to = Date.parse(`${moment}Z`);
    if (Number.isNaN(to)) return say('Choose a moment first');
    if (clock && to <= Date.parse(clock.now)) return say('Time does not go back');
    advance({ to: new Date(to).toISOString() });
  };
  if (!virtualClock)
    return (
      <section class="trouble-card" aria-labelledby="clock-title">
        <h2 id="clock-title">The clock</h2>
        <p class="none">
          This gateway has a real clock. Start it with <code>--clock virtual</code> or <code>skipping</code>,
          to let 150 s or 48 h pass here with a click; <code>--time-scale 0.01</code> shortens all timeouts
          instead.
        </p>
      </section>
    );
  const { now, nextTimer } = clock ?? {};
  return (
    <section class="trouble-card" aria-labelledby="clock-title">
      <h2 id="clock-title">The clock</h2>
      <p class="now" role="status">
        {now ? momentText(now) : '…'} <span class="none">UTC</span>
      </p>
      <p class="none">{howItMoves(clock)}</p>
      <div class="buttons">
        {stretches.map(([text, ms]) => (
          <button key={text} type="button" disabled={busy} onClick={() => advance({ ms })}>
            + {text}
          </button>
        ))}
      </div>
      <form class="to-moment" onSubmit={toMoment}>
        <label>
          <span>To (UTC)</span>
          <input
            type="datetime-local"
            step="1"
            value={moment}
            onInput={({ currentTarget }) => setMoment(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={busy}>
          Go there
        </button>
      </form>
      {nextTimer && (
        <p>
          <button type="button" disabled={busy} onClick={() => advance({ to: nextTimer })}>
            To the next timer
          </button>{' '}
          <span class="none">{momentText(nextTimer)}</span>
        </p>
      )}
      {last && <Happened advanced={last} />}
      <p class="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}

function Happened({ advanced: { happened } }: { advanced: ClockAdvanced }) {
  const first = happened[0]?.seq;
  if (first === undefined) return <p class="none">Nothing happened meanwhile.</p>;
  return (
    <p>
      {happened.length === 1000 ? 'More than 1000' : happened.length} things happened meanwhile:{' '}
      <a href={linkTo('traffic', { seq: String(first) })}>show the traffic from the first entry on</a>
    </p>
  );
}

function howItMoves(clock: Clock | undefined): string {
  if (!clock) return '…';
  if (!clock.skipping) return 'Time stands still until you move it.';
  if (clock.stands !== null) return `Time moves by itself, but stands still now: ${clock.stands}.`;
  return 'Time moves by itself while something waits for time to pass.';
}

function momentText(iso: string): string {
  return iso
    .replace('T', ' ')
    .replace(/Z$/, '')
    .replace(/\.000$/, '');
}
