import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readStage } from '../../cli/recorded-stage.ts';
import { type Backstage, findStories, recordStory, runStory, type Story } from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';

/** Shipped stories, recorded while they are played: the recording, played, comes out the same. */

const folder = mkdtempSync(join(tmpdir(), 'pinpad-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const shipped = join(import.meta.dirname, '../../scenarios/stories');
const stories = findStories(
  ['links', 'recovery', 'refunds', 'tips', 'webhooks'].map((name) => join(shipped, name)),
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

async function played(story: Story): Promise<{ journal: readonly JournalEntry[]; recording: string }> {
  let stage: { backstage: Backstage; seq: number } | undefined;
  let recording = '';
  const { journal } = await runStory(story, {
    onStage: async (backstage) => {
      stage = { backstage, seq: (await backstage.journalSince(0)).at(-1)?.seq ?? 0 };
    },
    onEnd: async () => {
      if (!stage) return;
      const { backstage, seq } = stage;
      const found = await readStage(backstage);
      recording = recordStory(await backstage.journalSince(seq), { ...found, name: story.name });
    },
  });
  return { journal, recording };
}

describe.concurrent('recorded and played again, it ends the same:', () => {
  const recordable = stories.filter(({ file }) => !notRecordable.some((name) => file.endsWith(name)));
  test.each(recordable.map((story, index) => ({ name: story.name, story, index })))(
    '$name',
    async ({ story, index }) => {
      const { journal, recording } = await played(story);
      const file = join(folder, `${index}.yaml`);
      writeFileSync(file, recording);
      const [again] = findStories([file]);
      if (!again) throw new Error('no story was recorded');
      const result = await runStory(again);
      expect(
        result.failure && `${result.failure.step}\n${result.failure.message}\n${recording}`,
      ).toBeUndefined();
      expect(ends(result.journal)).toEqual(ends(journal));
    },
  );
});
