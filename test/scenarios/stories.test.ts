import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { failureText, findStories, plainPaint, runStory, type StoryResult } from '../../scenarios/index.ts';
import { storySchemaFile, storySchemaText } from '../../scripts/story-schema.ts';

/** The stories that ship: all of them play, all of them are what the published schema says. */

const stories = findStories([join(import.meta.dirname, '../../scenarios/stories')]);
const told = (result: StoryResult) => (result.failure ? failureText(result, plainPaint) : 'passed');
/** Port numbers aside, which are the machine's. */
const journalOf = ({ journal }: StoryResult) =>
  journal.map((entry) => JSON.stringify(entry).replaceAll(/127\.0\.0\.1:\d+/g, 'GATEWAY'));

describe.concurrent('every shipped story passes, and again with the same journal, byte for byte', () => {
  for (const story of stories)
    test(`${story.file}: ${story.name}`, async () => {
      const first = await runStory(story);
      expect(told(first)).toBe('passed');
      expect(journalOf(await runStory(story))).toEqual(journalOf(first));
    });
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

test('every story says what it shows, for somebody who reads it', () => {
  expect(stories.filter(({ description }) => description.length < 20).map(({ file }) => file)).toEqual([]);
});

test('another seed gives other identifiers', async () => {
  const story = stories.find(({ file }) => file.endsWith('paying/chip-and-pin.yaml'));
  if (!story) throw new Error('there is no such story');
  const [one, other] = [await runStory(story, { seed: 7 }), await runStory(story, { seed: 8 })];
  expect(journalOf(one).length).toBeGreaterThan(20);
  expect(journalOf(one)).not.toEqual(journalOf(other));
});
