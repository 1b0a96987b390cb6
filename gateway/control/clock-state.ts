import { z } from 'zod';
import { isoTime } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { VirtualTimeWaits } from '../../shared/skipping/time-waits.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';

const hold = z.object({
  name: z.string(),
  since: z.iso.datetime().meta({ description: 'In real time' }),
});

export const clockStateSchema = z
  .object({
    virtual: z.boolean(),
    skipping: z
      .boolean()
      .meta({ description: 'Whether time advances by itself while a request waits for time to pass' }),
    now: z.iso.datetime(),
    nextTimer: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The time when the next timer is due; null with a real clock' }),
    stands: z.string().nullable().meta({
      description:
        'The reason why time does not advance by itself. Null if time advances by itself, or will do so after a short time in which nothing happens',
    }),
    waiting: z.array(z.object({ by: z.string(), until: z.iso.datetime() })).meta({
      description:
        'The requests that wait for time to pass, and the latest time until which each of them waits',
    }),
    asked: z
      .array(z.object({ terminal: z.string(), state: z.string() }))
      .meta({ description: 'Terminals that wait for a person' }),
    holds: z.array(hold).meta({
      description:
        'The holds that stop the clock now. Each hold stops the clock of the whole gateway and of all its accounts',
    }),
  })
  .meta({ id: 'Clock' });

export const exampleClockState = {
  virtual: true,
  skipping: false,
  now: '2026-01-01T09:02:30.000Z',
  nextTimer: null,
  stands: 'time moves only with POST /control/clock/advance',
  waiting: [],
  asked: [],
  holds: [],
};

/**
 * Gives the present state of the clock. If the clock is virtual, the state says what the clock waits for before it
 * moves (B276).
 */
export function readClockState({ clock, timeWaits }: Runtime): z.infer<typeof clockStateSchema> {
  const next = clock instanceof VirtualClock ? clock.nextDue() : undefined;
  const waits = timeWaits instanceof VirtualTimeWaits ? timeWaits : undefined;
  const holds = waits?.holds.list().map(({ name, since }) => ({ name, since: isoTime(since) })) ?? [];
  const asked = waits?.asked().map(({ terminal, state }) => ({ terminal, state })) ?? [];
  const epochMs = clock.now() - clock.monotonic();
  const waiting = waits?.list().map(({ by, untilMs }) => ({ by, until: isoTime(untilMs + epochMs) })) ?? [];
  const { skipping } = timeWaits;
  return {
    virtual: clock.virtual,
    skipping,
    now: isoTime(clock.now()),
    nextTimer: next === undefined ? null : isoTime(next),
    stands: clock.virtual
      ? reasonToStandStill({ skipping, waiting, asked, holds, reader: waits?.activity.keptBy })
      : null,
    waiting,
    asked,
    holds,
  };
}

/** Gives the reason why time does not move by itself; null if time moves by itself. */
function reasonToStandStill({
  skipping,
  waiting,
  asked: [asked],
  holds: [held],
  reader,
}: Pick<z.infer<typeof clockStateSchema>, 'skipping' | 'waiting' | 'asked' | 'holds'> & {
  reader: string | undefined;
}): string | null {
  if (held) return `the hold "${held.name}" stops time for the whole gateway`;
  if (!skipping) return 'time moves only with POST /control/clock/advance';
  if (waiting.length === 0) return 'nothing waits for time to pass';
  if (asked) return `the terminal ${asked.terminal} waits for a person (${asked.state})`;
  return reader === undefined ? null : `a client calls ${reader} again and again, so time stands still`;
}
