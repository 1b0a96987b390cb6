import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { failureText, findStories, plainPaint, runStory, type StoryResult } from '../../scenarios/index.ts';
import { storySchemaFile, storySchemaText } from '../../scripts/story-schema.ts';
import { errorConditions, lowerCamel } from '../../shared/nexo/enums.ts';

/** The stories that ship: all of them play, all of them are what the published schema says. */

const stories = findStories([join(import.meta.dirname, '../../scenarios/stories')]);
const told = (result: StoryResult) => (result.failure ? failureText(result, plainPaint) : 'passed');

describe.concurrent('every shipped story passes', () => {
  for (const story of stories)
    test(`${story.file}: ${story.name}`, async () => expect(told(await runStory(story))).toBe('passed'));
});

test('the published JSON Schema is the one of the code', () => {
  expect(JSON.parse(readFileSync(storySchemaFile, 'utf8'))).toEqual(JSON.parse(storySchemaText()));
});

test('every shipped story fits the published JSON Schema', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(readFileSync(storySchemaFile, 'utf8')),
  );
  const wrong = [...new Set(stories.map(({ file }) => file))].filter(
    (file) => !validate(parse(readFileSync(file, 'utf8'))),
  );
  expect(wrong).toEqual([]);
});

test('there are at least 60 stories, each in a file of its own, and no two are called the same', () => {
  expect(new Set(stories.map(({ file }) => file)).size).toBeGreaterThanOrEqual(60);
  expect(new Set(stories.map(({ name }) => name)).size).toBe(stories.length);
});

test('the stories show every errorCondition', () => {
  const text = stories.map(({ steps }) => JSON.stringify(steps)).join('\n');
  const missing = errorConditions.map(lowerCamel).filter((condition) => !text.includes(`"${condition}"`));
  expect(missing).toEqual([]);
});

test.each([
  ['paying/two-terminals', 7],
  ['recovery/gateway-restarts', 7],
  ['recovery/terminal-never-comes-back', 7],
  ['refunds/submitted', 7],
])('%s played twice with one seed gives the same journal, byte for byte', async (name, seed) => {
  const story = stories.find(({ file }) => file.endsWith(`${name}.yaml`));
  if (!story) throw new Error(`there is no story ${name}`);
  const journal = async (which: number) => {
    const { journal: entries } = await runStory(story, { seed: which });
    return entries.map((entry) => JSON.stringify(entry).replaceAll(/127\.0\.0\.1:\d+/g, 'GATEWAY'));
  };
  const first = await journal(seed);
  expect(first.length).toBeGreaterThan(20);
  expect(await journal(seed)).toEqual(first);
  expect(await journal(seed + 1)).not.toEqual(first);
});
