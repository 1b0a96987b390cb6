import { expect, test } from 'vitest';
import { creditStates } from '../../store/rows/credits.ts';
import { creditRow, exampleCreditFacts, exampleCreditInputs } from './credits.fixture.ts';
import { decide, lifecycle } from './lifecycle.ts';
import { type Input, type State, stateOf } from './step.ts';

const pairs = Object.entries(lifecycle).flatMap(([state, does]) =>
  Object.entries(does).map(([input, transition]) => [state, input, transition] as const),
);

function inState(state: string): State {
  return stateOf(
    state === 'none' ? undefined : { ...creditRow, state: state as (typeof creditStates)[number] },
  );
}

function inputOf(is: string): Input {
  return exampleCreditInputs.find((input) => input.is === is) as Input;
}

test('every state of a credit handles every input', () => {
  expect(Object.keys(lifecycle)).toEqual(['none', ...creditStates]);
  for (const does of Object.values(lifecycle))
    expect(Object.keys(does)).toEqual(exampleCreditInputs.map(({ is }) => is));
  expect(pairs).toHaveLength(5 * 8);
});

test.each(pairs.filter(([, , does]) => typeof does !== 'function'))(
  'a credit that is %s does not accept %s, and says why',
  (state, input, does) => {
    expect(does).toEqual({ impossible: expect.stringMatching(/./) });
    expect(() => decide(inState(state), inputOf(input), exampleCreditFacts)).toThrow(
      `the input ${input} is impossible for a credit that is ${state}`,
    );
  },
);

const comesTo: readonly (readonly [state: string, input: string, comesTo: string])[] = [
  ['none', 'made', 'initiated, told: insert credits; awaitExpiry'],
  ['none', 'answerTried', 'none, missing'],
  ['none', 'accepted', 'none, missing'],
  ['none', 'refusalSet', 'none, missing'],
  ['none', 'expiryAsked', 'none, missing'],
  ['none', 'due', 'none'],
  ['initiated', 'answerTried', 'initiated: update credits'],
  ['initiated', 'answeredRight', 'initiated: update credits, insert credit_visits; journal'],
  ['initiated', 'bankNamed', 'initiated: update credit_visits; journal'],
  ['initiated', 'accepted', 'completed, told: update credits, delete credit_visits; forgetExpiry'],
  ['initiated', 'refusalSet', 'initiated: update credits'],
  ['initiated', 'expiryAsked', 'expired, told: update credits, delete credit_visits; forgetExpiry'],
  ['initiated', 'due', 'expired, told: update credits, delete credit_visits'],
  ...['completed', 'expired', 'failed'].flatMap((ended) => [
    [ended, 'answerTried', `${ended}, over`] as const,
    [ended, 'answeredRight', `${ended}: update credits; journal`] as const,
    [ended, 'bankNamed', `${ended}; journal`] as const,
    [ended, 'accepted', `${ended}, over`] as const,
    [ended, 'refusalSet', `${ended}, over`] as const,
    [ended, 'expiryAsked', `${ended}, over`] as const,
    [ended, 'due', ended] as const,
  ]),
];

test.each(comesTo)('a credit that is %s and gets %s becomes: %s', (state, input, comes) => {
  expect(said(inState(state), inputOf(input))).toBe(comes);
});

test.each(['answerTried', 'accepted', 'refusalSet', 'expiryAsked'])(
  'a link that has run out does not accept %s, even before its expiry is stored (B310)',
  (input) => {
    expect(said(inState('initiated'), inputOf(input), { ...exampleCreditFacts, inTime: false })).toBe(
      'initiated, over',
    );
  },
);

test('a locked link counts no further try, and says until when it is locked (B100)', () => {
  const { records, refused } = decide(inState('initiated'), inputOf('answerTried'), {
    ...exampleCreditFacts,
    lockedUntil: 7,
  });
  expect([records, refused]).toEqual([[], { is: 'locked', until: 7 }]);
});

function said(from: State, input: Input, at = exampleCreditFacts): string {
  const { state, records, effects, told, refused } = decide(from, input, at);
  const changes = records.map((record) => {
    const [verb, table] = Object.entries(record)[0] as [string, string];
    return `${verb} ${table}`;
  });
  return [
    state.is,
    told ? ', told' : '',
    refused ? `, ${refused.is}` : '',
    changes.length > 0 ? `: ${changes.join(', ')}` : '',
    effects.length > 0 ? `; ${effects.map((effect) => effect.do).join(', ')}` : '',
  ].join('');
}
