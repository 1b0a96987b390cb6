import { afterEach, beforeEach, expect, test } from 'vitest';
import { SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';

let harness: SavedCardsHarness;
beforeEach(async () => {
  harness = await SavedCardsHarness.start();
});
afterEach(() => harness.stop());

test('a question is in force from the moment it is set, while its answer is still being hashed', async () => {
  const { questions } = harness.gateway;
  const kept = questions.set('shop', { question: 'Which colour?', answer: 'blue' });
  expect(await questions.question('shop')).toBe('Which colour?');
  expect(await questions.isAnswer('shop', ' BLUE ')).toBe(true);
  await kept;
});

test('the later of two questions set at once is in force, and an answer to the former does not answer it', async () => {
  const { questions } = harness.gateway;
  await questions.set('shop', { question: 'Which colour?', answer: 'blue' });
  const both = [
    questions.set('shop', { question: 'Which street?', answer: 'market' }),
    questions.set('shop', { question: 'Which tree?', answer: 'blue' }),
  ];
  await Promise.all(both);
  expect(await questions.question('shop')).toBe('Which tree?');
  expect(await questions.isAnswer('shop', 'market')).toBe(false);
  expect(await questions.isAnswer('shop', 'blue')).toBe(true);
});

test.each([
  ['demo-shop', ' Coffee', /^WJHy8Fcgg-G0NREu5IDnAw\./],
  ['corner-shop', 'AT the market ', /^_cidePZpQtzARcH7FWjLAg\./],
])('the known answer of %s works as if it had just been hashed', async (id, answer, salt) => {
  const { questions, accounts, store } = harness.gateway;
  await accounts.createAccount({ id, name: 'A Shop', currency: 'EUR' });
  await questions.set(id, { question: 'Which one?', answer });
  const rows = await store.read((tx) => tx.selectFrom('security_questions').selectAll().execute());
  expect(rows).toMatchObject([{ answer_hash: expect.stringMatching(salt) }]);
  expect(await questions.isAnswer(id, answer.trim().toLowerCase())).toBe(true);
  expect(await questions.isAnswer(id, 'tea')).toBe(false);
});
