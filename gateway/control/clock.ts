import { z } from 'zod';
import { isoTime } from '../../shared/clock.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { parkCallDuring } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { clockHoldEndpoints } from './clock-holds.ts';
import { clockStateSchema, exampleClockState as example, readClockState } from './clock-state.ts';
import { exampleIds } from './examples.ts';

/**
 * The maximum time by which a request may move the clock. No test needs more, so this limit refuses only mistyped
 * numbers.
 */
const longestAdvanceMs = 400 * 24 * 3_600_000;
const mostHappenings = 1000;

const happening = z.object({
  seq: z.int(),
  at: z.iso.datetime(),
  kind: z.string(),
  terminal: z.string().optional(),
  payment: z.string().optional(),
});
const advanced = clockStateSchema
  .extend({
    happened: z.array(happening).meta({
      description: `The first ${mostHappenings} journal entries that were added while the clock moved; GET /control/journal returns all entries`,
    }),
  })
  .meta({ id: 'ClockAdvanced' });

const advanceBody = z
  .union([
    z.object({ ms: z.int().positive().max(longestAdvanceMs) }),
    z.object({
      to: z.iso.datetime().meta({
        description: 'The time to which the clock moves. A time in the past does not move the clock',
      }),
    }),
  ])
  .meta({ id: 'ClockAdvance' });

/** Makes the endpoints that read the clock, and the endpoints that move a virtual clock. */
export function clockEndpoints({ runtime }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: clock', guard: 'control' });
  return [
    endpoint({
      route: 'GET /control/clock',
      operationId: 'controlGetClock',
      summary: 'Get the time, and what keeps it from advancing',
      description:
        'A hold, a pause at a moment, the fault `holdAnswer`, and a crash that is set for a moment (GET /control/moments) affect the whole gateway and all its accounts.',
      responses: { 200: describeResponse('The clock', clockStateSchema, { virtual: example }) },
      gives: () => readClockState(runtime),
    }),
    ...clockHoldEndpoints({ runtime }),
    endpoint({
      route: 'POST /control/clock/advance',
      operationId: 'controlAdvanceClock',
      summary: 'Move the virtual clock forward',
      description:
        'Each timer that falls due on the way runs at its due time. All its effects are finished before the next timer runs. The call waits while there is a hold. With a real clock the answer is 409.',
      body: advanceBody,
      // The journal already has an entry that says by how much the clock moved.
      journaled: 'withoutBodies',
      bodyExamples: { paymentCap: { ms: 150_000 }, moment: { to: '2026-01-03T09:00:00Z' } },
      responses: {
        200: describeResponse('The clock after the move', advanced, {
          capReached: {
            ...example,
            happened: [{ seq: 41, at: example.now, kind: 'http.answered', payment: exampleIds.payment }],
          },
        }),
      },
      errors: ['conflict'],
      gives: async (call) => {
        const { body } = call;
        const { clock, journal } = runtime;
        if (!(clock instanceof VirtualClock))
          throw new ApiError('conflict', {
            message: 'The clock is real: start with --clock virtual or --clock skipping to move it',
          });
        const target = 'ms' in body ? clock.now() + body.ms : Date.parse(body.to);
        if (target - clock.now() > longestAdvanceMs)
          throw new ApiError('conflict', { message: 'The clock can be moved by at most 400 days at once' });
        journal.add('clock.advanced', { byMs: Math.max(0, target - clock.now()) });
        const since = journal.latest?.seq ?? 0;
        await parkCallDuring(call, () => ('ms' in body ? clock.advance(body.ms) : clock.advanceTo(target)));
        const happened = journal.since(since).slice(0, mostHappenings);
        return {
          ...readClockState(runtime),
          happened: happened.map(({ seq, at, kind, terminal, payment }) => ({
            seq,
            at: isoTime(at),
            kind,
            terminal,
            payment,
          })),
        };
      },
    }),
  ];
}
