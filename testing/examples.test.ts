import { expect, test } from 'vitest';
import { testThoroughly } from '../test/optional-programs.ts';
import { findCompileErrors, listPublicApi, type PublicName } from './public-api.fixture.ts';

const testInCi = testThoroughly();

/**
 * These tests check that everything that users of the package can name has a docstring, that everything that users can
 * call has an example, and that the examples compile.
 */

/** The imports and variables that examples may use without declaring them. */
const prelude = `import { writeFileSync } from 'node:fs';
import { ApiError, createClient, createControlClient } from 'pinpad/client';
import {
  attachPinpad, differences, ExpectationError, explainDifference, explore, type Pinpad, recordScenario, ScenarioError,
  StartError, startPinpad,
} from 'pinpad/testing';
import { expect, test } from 'pinpad/testing/vitest';
export const known = [
  writeFileSync, ApiError, createClient, createControlClient, attachPinpad, differences, explainDifference,
  explore, recordScenario, startPinpad, expect, test,
];
declare const pinpad: Pinpad;
`;

/** The public API, which is read only once for all tests. */
let found: PublicName[] | undefined;
function everything(): PublicName[] {
  found ??= listPublicApi();
  return found;
}

testInCi('everything that a user of the package can name has a docstring', () => {
  const names = everything().map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      ...['Pinpad.shows', 'TestClock.pass', 'Pos.pay', 'World.dropAnswer', 'LinkCustomer.accept'],
      ...['Receivers.open', 'Receiver.fails', 'ShopperActions.tap', 'SentRequest.payment'],
      ...['startPinpad', 'explore', 'recordScenario', 'differences', 'Needs', 'PinpadMatchers.toFit'],
      ...['createClient', 'ControlClient.stream', 'ApiClient.call', 'ApiError'],
    ]),
  );
  const without = everything().filter(({ text }) => !/[.!?)]$/.test(text));
  expect(without.map(({ name }) => `${name} has no docstring of whole sentences`)).toEqual([]);
});

test('each function, method and class that a user can call has an example', () => {
  const without = everything().filter(
    ({ isCalled, isInternal, examples }) => isCalled && !isInternal && examples.length === 0,
  );
  expect(without.map(({ name }) => `${name} has no @example`)).toEqual([]);
});

test('what only pinpad itself calls is marked, and it is little', () => {
  const internal = everything().filter(({ isInternal }) => isInternal);
  expect(internal.map(({ name }) => name)).toEqual(['Pinpad.isSetUp']);
});

testInCi('the examples compile', () => {
  const modules = everything().flatMap(({ name, examples }) =>
    examples.map((code, nth) => [`${name}-${nth + 1}`, `${prelude}{\n${code}\n}\n`] as const),
  );
  expect(modules.length).toBeGreaterThan(90);
  expect(findCompileErrors(Object.fromEntries(modules))).toEqual([]);
});
