import { expect, test } from 'vitest';
import { differences, explainDifference } from './match.ts';

const explained = (wanted: unknown, actual: unknown) =>
  differences(wanted, actual, 'body').map(explainDifference);

test.each([
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: { absent: true } }, {}],
  [{ a: { absent: false } }, { a: null }],
  [{ a: 'string' }, 'text'],
  [{ a: 'array' }, []],
  [{ a: 'object' }, {}],
  [{ matches: '^4.*1$' }, '4111 1111'],
  [{ contains: 'shop' }, 'Corner shop'],
  [{ contains: { type: 'x' } }, [{ type: 'y' }, { type: 'x', more: 1 }]],
  [{ above: 5, below: 7 }, 6],
  [{ atLeast: 6, atMost: 6 }, 6],
  [{ length: 2 }, ['a', 'b']],
  [{ length: { above: 1 } }, 'ab'],
  [{ oneOf: [1, { above: 5 }] }, 6],
  [{ not: { contains: 'x' } }, 'abc'],
  [{ each: { a: 1 } }, [{ a: 1 }, { a: 1, b: 2 }]],
  [{ exactly: { b: 2, a: [1] } }, { a: [1], b: 2 }],
  [
    [1, { above: 1 }],
    [1, 2],
  ],
  [null, null],
])('the value %j matches %j', (wanted, actual) => expect(explained(wanted, actual)).toEqual([]));

test.each([
  [{ a: 1 }, { a: 2 }, 'body.a: expected 1, was 2'],
  [{ a: 1 }, {}, 'body.a: expected 1, nothing is there'],
  [{ a: 1 }, 'text', 'body: expected an object like {"a":1}, was "text"'],
  [{ a: { absent: true } }, { a: 1 }, 'body.a: expected nothing there, was 1'],
  [{ absent: false }, undefined, 'body: expected something there, nothing is there'],
  [{ a: 'string' }, 5, 'body: expected a string, was 5'],
  [{ a: 'object' }, null, 'body: expected an object, was null'],
  [{ matches: '^4' }, '5', 'body: expected text that matches /^4/, was "5"'],
  [{ contains: 'x' }, 'abc', 'body: expected something that contains "x", was "abc"'],
  [{ above: 5 }, 5, 'body: expected above 5, was 5'],
  [{ below: 5 }, '4', 'body: expected below 5, was "4"'],
  [{ atLeast: 5 }, 4, 'body: expected at least 5, was 4'],
  [{ atMost: 5 }, 6, 'body: expected at most 5, was 6'],
  [{ length: 2 }, ['a'], 'body.length: expected 2, was 1'],
  [{ length: 2 }, 5, 'body: expected a string or a list, was 5'],
  [{ oneOf: [1, 2] }, 3, 'body: expected one of [1,2], was 3'],
  [{ not: 3 }, 3, 'body: expected not 3, was 3'],
  [{ each: 1 }, [1, 2], 'body.1: expected 1, was 2'],
  [{ each: 1 }, 1, 'body: expected a list, was 1'],
  [{ exactly: { a: 1 } }, { a: 1, b: 2 }, 'body: expected exactly {"a":1}, was {"a":1,"b":2}'],
  [[1, 2], [1], 'body: expected a list of 2: [1,2], was [1]'],
  [[1, 2], [1, 3], 'body.1: expected 2, was 3'],
])('the value %j does not match %j', (wanted, actual, message) =>
  expect(explained(wanted, actual)).toEqual([message]),
);

test('every difference is reported, and long values are shortened', () => {
  expect(explained({ a: 1, b: 2 }, { a: 2, b: 1 })).toHaveLength(2);
  expect(explained(1, 'x'.repeat(1000))[0]?.length).toBeLessThan(350);
});
