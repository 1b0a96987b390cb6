import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureText, findStories, plainPaint, runStory } from '../../scenarios/index.ts';

/** docs/scenarios.md, tried. */

const root = join(import.meta.dirname, '../..');
const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
const blocks = (name: string, language: string) =>
  [...page(name).matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text]) => text ?? '',
  );

describe('every story on the page passes', () => {
  for (const text of blocks('scenarios.md', 'yaml'))
    test(/^name: (.*)/m.exec(text)?.[1] ?? '', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'docs-'));
      const file = join(folder, 'story.yaml');
      writeFileSync(file, text);
      const stories = findStories([file]);
      for (const story of stories) {
        if (text.includes('stored:')) await runStory(story, { update: true });
        const result = await runStory(story);
        expect(result.failure && failureText(result, plainPaint)).toBeUndefined();
      }
      rmSync(folder, { recursive: true });
    });
});

test('every option of the page is one of pinpad run', () => {
  const help = execFileSync(process.execPath, [join(root, 'bin/pinpad.js'), 'run', '--help'], {
    encoding: 'utf8',
  });
  const named = page('scenarios.md').match(/--[a-z][a-z-]+/g) ?? [];
  expect(named.filter((option) => !help.includes(option))).toEqual([]);
});
