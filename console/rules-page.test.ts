import { expect, test } from 'vitest';
import { lintRules } from '../shared/lint/rules.ts';
import { makeRulesPage } from './rules-page.ts';

const page = makeRulesPage();

test.each([...lintRules.map(({ id }) => id), 'wrong-belief', 'shared-reference'])(
  'the rule %s has a section, which its findings link (B403)',
  (rule) => {
    expect(page).toMatch(new RegExp(`<section id="${rule}"><h2>${rule}</h2><p>[A-Z<]`));
  },
);

test('the page shows Markdown as HTML, and links to no page that is not served', () => {
  expect(page).not.toMatch(/\*\*|\]\(|`/);
  expect([...page.matchAll(/<a href="([^"]+)"/g)].map(([, to]) => to)).toEqual([
    '/console',
    'https://www.standardwebhooks.com',
  ]);
});
