import { z } from 'zod';
import { delay, isoTime } from '../../shared/clock.ts';
import type { TimeHold } from '../../shared/skipping/holds.ts';
import { longestWaitMs } from '../../shared/skipping/time-waits.ts';
import { type Answer, type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { parkCallDuring } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { exampleClockState } from './clock-state.ts';

const usualHoldMs = 600_000;
const longestHoldMs = 24 * 3_600_000;

const name = z.string().min(1).max(100).meta({
  description:
    'A name for the hold. GET /control/clock and log lines show this name, and a call with this name releases the hold',
});
const holdBody = z
  .object({
    name,
    maxMs: z.int().min(1).max(longestHoldMs).default(usualHoldMs).meta({
      description: 'The maximum duration of the hold in milliseconds of real time; 10 minutes by default',
    }),
  })
  .meta({ id: 'ClockHold' });
const held = z
  .object({
    name: z.string(),
    ended: z.enum(['released', 'limit', 'closed']).meta({
      description: 'How the hold ended: by a release, by the limit `maxMs`, or because the gateway shut down',
    }),
  })
  .meta({ id: 'ClockHoldEnded' });
const waitBody = z
  .object({
    ms: z
      .int()
      .min(1)
      .max(longestWaitMs)
      .meta({ description: "The time to wait, measured by the gateway's clock; at most 10 minutes" }),
  })
  .meta({ id: 'ClockWait' });
const waited = z.object({ now: z.iso.datetime() }).meta({ id: 'ClockWaited' });

const endpoint = makeEndpointDefiner({ tag: 'Control: clock', guard: 'control' });

/**
 * Makes the endpoint at which a request waits for some time by the gateway's clock, and the endpoints that stop this
 * clock and let it run again.
 */
export function clockHoldEndpoints({ runtime }: Pick<Services, 'runtime'>): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /control/clock/wait',
      operationId: 'controlWait',
      summary: "Wait until the gateway's clock has advanced by a given time",
      description:
        "The answer comes when the gateway's clock has advanced by the requested time. With `--clock skipping` the answer comes at once if nothing else happens. With `--clock virtual` the answer comes when calls have advanced the clock by the requested time. With a real clock the answer comes when the requested time has passed.",
      body: waitBody,
      bodyExamples: { retry: { ms: 5_000 } },
      responses: {
        200: describeResponse('The time then', waited, { later: { now: exampleClockState.now } }),
      },
      gives: async (call) => {
        const { ms } = call.body;
        await parkCallDuring(call, () => delay(runtime.clock, ms, call.signal), ms);
        return { now: isoTime(runtime.clock.now()) };
      },
    }),
    endpoint({
      route: 'POST /control/clock/hold',
      operationId: 'controlHoldClock',
      summary: 'Stop the clock until you release this hold',
      description:
        'Use a hold with a debugger, or to inspect the state. The answer begins at once. The hold and the answer end when a call releases the hold by its name, when you close the connection, or after `maxMs` of real time. While the hold lasts, time stands still for the whole gateway and all its accounts, and a call that advances time waits. With a real clock the answer is 409.',
      body: holdBody,
      bodyExamples: { debugger: { name: 'debugger' } },
      responses: {
        200: describeResponse('The hold has ended. Time stood still during the hold', held, {
          released: { name: 'debugger', ended: 'released' },
        }),
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
      summary: 'End all holds that have this name',
      body: z.object({ name }).meta({ id: 'ClockRelease' }),
      bodyExamples: { debugger: { name: 'debugger' } },
      responses: {
        200: describeResponse(
          'The number of holds that ended',
          z.object({ released: z.int() }).meta({ id: 'ClockReleased' }),
          {
            one: { released: 1 },
          },
        ),
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
 * Sends the head of the answer at once, so that the client knows that the clock has stopped. The clock stands still as
 * long as the connection lasts.
 */
function untilEnded(hold: TimeHold): Answer {
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
