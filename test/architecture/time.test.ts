import { expect } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { allFiles, callersOf } from './code.ts';
import { checkSection, houseTest } from './page.ts';

/** Checks the section "Time, randomness, and what is in flight" of ARCHITECTURE.md. */

const counters = (method: string) => callersOf(`inFlight\\.${method}`);

checkSection('Time, randomness, and what is in flight', {
  '`shared/clock.ts` is the only source': [
    houseTest('time comes from shared/clock.ts, and random numbers from shared/random.ts'),
  ],
  'Other code gets time and randomness': [houseTest('only commands and createRuntime name the system clock')],
  'Only commands (`cli/`), the console': [
    houseTest('^cli\\/|^console\\/page\\/main\\.tsx$|^shared\\/(clock|random|create-runtime)\\.ts$'),
  ],
  'A `Runtime` has a second clock': [
    () => {
      const { clock, realClock } = createRuntime({ clock: 'virtual' });
      expect([clock.virtual, realClock]).toEqual([true, systemClock]);
    },
  ],
  'The `realClock` measures the time': [['shared/create-runtime.ts', 'realClock']],
  'For example, the `realClock` is used for the time limit': [
    ['gateway/http/server.ts', 'realClock'],
    ['cli/up.ts', 'runTui(source, { clock: stack.runtime.realClock })'],
    ['gateway/webhooks/signature.ts', 'realClock'],
  ],
  'The virtual clock *steps*': [
    ['shared/virtual-clock.test.ts', 'the effects of a timer are done before the next timer runs'],
  ],
  '`shared/in-flight.ts` counts': [
    () => expect(counters('sent')).toEqual(['shared/transport/link.ts']),
    () => expect(counters('arrived')).toEqual(['shared/transport/link.ts']),
    () =>
      expect(counters('begin')).toEqual(
        expect.arrayContaining([
          'gateway/http/virtual-time-reporter.ts',
          'shared/database/database.ts',
          'shared/lanes.ts',
        ]),
      ),
    ['shared/in-flight.test.ts', 'a frame is in flight from one end of a link to the other'],
    ['gateway/http/held.test.ts', 'virtual time stands still while a request is handled'],
    ['shared/database/database.test.ts', 'counts a write as in flight until it is committed'],
    ['shared/skipping/time-skipper.test.ts', 'time stands still while something is in flight'],
  ],
  'A request that waits for a person': [['gateway/http/held.test.ts', 'and moves while it waits']],
  'So 150 s of virtual time pass in milliseconds': [
    ['test/control-api.test.ts', '150 seconds and 48 hours pass at once on a virtual clock'],
  ],
  'With the same seed, the order of events': [
    ['test/control-api.test.ts', 'the same seed and the same actions give the same journal'],
  ],
  'A skipping clock is a virtual clock': [
    [
      'shared/skipping/time-skipper.test.ts',
      'time moves from timer to timer, once nothing has happened for the patience period',
    ],
  ],
  '`shared/skipping/next-step.ts` decides': [
    [
      'shared/skipping/next-step.test.ts',
      'time moves to the next timer, and no further than a waiting client needs',
    ],
  ],
  'Whether and how far the clock moves depends on': [
    [
      'shared/skipping/next-step.test.ts',
      'time stands still if nobody waits, or no longer waits, or a person is asked',
    ],
    [
      'shared/skipping/next-step.test.ts',
      'time stands still until nothing has happened for the patience period',
    ],
  ],
  'In scenarios, time moves by the rule': [
    () =>
      expect(
        allFiles.filter(({ text }) => /\bdecideNextTimeStep\(/.test(text)).map(({ path }) => path),
      ).toEqual(['shared/skipping/next-step.ts', 'shared/skipping/time-step-planner.ts']),
    () =>
      expect(
        allFiles.some(
          ({ path, text }) => path.startsWith('scenarios/') && text.includes('skipping/time-step-planner.ts'),
        ),
      ).toBe(true),
  ],
});
