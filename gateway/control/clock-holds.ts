import { z } from 'zod';
import { delay, isoTime } from '../../shared/clock.ts';
import type { Hold } from '../../shared/skipping/holds.ts';
import { longestWaitMs } from '../../shared/skipping/time-waits.ts';
import { type Answer, type AnyEndpoint, endpointWith, shows } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { parked } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { exampleClock } from './clock-state.ts';

const usualHoldMs = 600_000;
const longestHoldMs = 24 * 3_600_000;

const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'A name for the hold, for people and to release it' });
const holdBody = z
  .object({
    name,
    maxMs: z.int().min(1).max(longestHoldMs).default(usualHoldMs).meta({
      description: 'How long at most, in real time; 10 minutes unless given',
    }),
  })
  .meta({ id: 'ClockHold' });
const held = z
  .object({
    name: z.string(),
    ended: z.enum(['released', 'limit', 'closed']).meta({
      description: 'By a release, by maxMs, or because the gateway shuts down',
    }),
  })
  .meta({ id: 'ClockHoldEnded' });
const waitBody = z
  .object({
    ms: z.int().min(1).max(longestWaitMs).meta({ description: "By the gateway's clock; 10 minutes at most" }),
  })
  .meta({ id: 'ClockWait' });
const waited = z.object({ now: z.iso.datetime() }).meta({ id: 'ClockWaited' });

const endpoint = endpointWith({ tag: 'Control: clock', guard: 'control' });

/** The operations of requests that sleep in the gateway's time or stop its time. */
export function clockHoldEndpoints({ runtime }: Pick<Services, 'runtime'>): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /control/clock/wait',
      operationId: 'controlWait',
      summary: "Sleep in the gateway's time",
      description:
        'Answers when so much time has passed: with `--clock skipping` that is at once where nothing else happens, with `virtual` when the clock is moved so far, and with a real clock after so long.',
      body: waitBody,
      bodyExamples: { retry: { ms: 5_000 } },
      responses: { 200: shows('The time then', waited, { later: { now: exampleClock.now } }) },
      gives: async (call) => {
        const { ms } = call.body;
        await parked(call, () => delay(runtime.clock, ms, call.signal), ms);
        return { now: isoTime(runtime.clock.now()) };
      },
    }),
    endpoint({
      route: 'POST /control/clock/hold',
      operationId: 'controlHoldClock',
      summary: 'Stop time until you release it',
      description:
        'For a debugger, or for a person who inspects the state. The answer begins at once and ends with the hold: when its name is released, when you close the connection, or after `maxMs` of real time. Meanwhile nothing moves time, for the whole gateway and all its accounts; a call that moves it waits. With a real clock: 409.',
      body: holdBody,
      bodyExamples: { debugger: { name: 'debugger' } },
      responses: {
        200: shows('Time was held until now', held, { released: { name: 'debugger', ended: 'released' } }),
      },
      errors: ['conflict', 'controlTokenNeeded'],
      handle: async ({ body, fromConsole }) => {
        if (fromConsole) throw new ApiError('controlTokenNeeded');
        const { holds } = runtime.timeWaits;
        if (!holds) throw realTime();
        return untilEnded(holds.hold(body.name, body.maxMs));
      },
    }),
    endpoint({
      route: 'POST /control/clock/release',
      operationId: 'controlReleaseClock',
      summary: 'End the holds of a name',
      body: z.object({ name }).meta({ id: 'ClockRelease' }),
      bodyExamples: { debugger: { name: 'debugger' } },
      responses: {
        200: shows('How many holds ended', z.object({ released: z.int() }).meta({ id: 'ClockReleased' }), {
          one: { released: 1 },
        }),
      },
      errors: ['conflict', 'controlTokenNeeded'],
      gives: async ({ body, fromConsole }) => {
        if (fromConsole) throw new ApiError('controlTokenNeeded');
        const { holds } = runtime.timeWaits;
        if (!holds) throw realTime();
        return { released: holds.release(body.name) };
      },
    }),
  ];
}

function realTime(): ApiError {
  return new ApiError('conflict', {
    message: 'The clock is real and cannot be held: start with --clock virtual or --clock skipping',
  });
}

/**
 * Sends the head of the answer at once, so that the client knows that time is stopped. The hold lasts as long as the
 * connection.
 */
function untilEnded(hold: Hold): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    stream: async (output, signal) => {
      const close = () => hold.end('closed');
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
      const ended = await hold.ended;
      signal.removeEventListener('abort', close);
      output.write(`${JSON.stringify({ name: hold.name, ended })}\n`);
    },
  };
}
