import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readEnvironment } from '../../cli/record/recorded-environment.ts';
import {
  findScenarios,
  recordScenario,
  runScenario,
  type Scenario,
  type TestEnvironment,
} from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { watchedRun } from './watched-run.ts';

/** Shipped scenarios, recorded while they are run: the recording, run, comes out the same. */

const folder = mkdtempSync(join(tmpdir(), 'pinpad-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const shipped = join(import.meta.dirname, '../../scenarios/library');
const scenarios = findScenarios(
  ['links', 'outcomes/inserted-card.yaml', 'recovery', 'refunds', 'tips', 'webhooks'].map((name) =>
    join(shipped, name),
  ),
);

/** Cannot be seen from outside. */
const notRecordable = ['gateway-restarts.yaml'];

/** How everything ended that moves money. */
function ends(journal: readonly JournalEntry[]): string[] {
  return journal
    .flatMap(({ kind, data }) => {
      if (kind === 'payment.concluded')
        return 'errorCondition' in data ? [`${data.errorCondition}`] : ['success'];
      if (kind === 'refund.changed' && 'status' in data) return [`refund ${data.status}`];
      return /^(debit|credit)\.changed$/.test(kind) && 'state' in data ? [`${kind} ${data.state}`] : [];
    })
    .toSorted();
}

async function ran(scenario: Scenario): Promise<{ journal: readonly JournalEntry[]; recording: string }> {
  let context: { environment: TestEnvironment; seq: number } | undefined;
  let recording = '';
  const { journal } = await runScenario(scenario, {
    onStart: async (environment) => {
      context = { environment, seq: (await environment.journalSince(0)).at(-1)?.seq ?? 0 };
    },
    onEnd: async () => {
      if (!context) return;
      const { environment, seq } = context;
      const found = await readEnvironment(environment);
      recording = recordScenario(await environment.journalSince(seq), { ...found, name: scenario.name });
    },
  });
  return { journal, recording };
}

describe.concurrent('recorded and run again, watched, it ends the same:', () => {
  const recordable = scenarios.filter(({ file }) => !notRecordable.some((name) => file.endsWith(name)));
  test.each(recordable.map((scenario, index) => ({ name: scenario.name, scenario, index })))(
    '$name',
    async ({ scenario, index }) => {
      const { journal, recording } = await ran(scenario);
      const file = join(folder, `${index}.yaml`);
      writeFileSync(file, recording);
      const [again] = findScenarios([file]);
      if (!again) throw new Error('no scenario was recorded');
      const result = await runScenario(again, watchedRun);
      expect(
        result.failure && `${result.failure.step}\n${result.failure.message}\n${recording}`,
      ).toBeUndefined();
      expect(ends(result.journal)).toEqual(ends(journal));
    },
  );
});
