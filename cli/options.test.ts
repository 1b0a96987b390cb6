import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { makeOption, makeTokenOption } from './options.ts';

test.each([
  ['1', true],
  ['true', true],
  ['0', undefined],
  ['false', undefined],
  ['No', undefined],
  ['off', undefined],
])('a switch whose variable is %s is %s', (value, memory) => {
  process.env.PINPAD_MEMORY = value;
  onTestFinished(() => void delete process.env.PINPAD_MEMORY);
  const command = new Command().addOption(makeOption('--memory', 'keeps nothing'));
  expect(command.parse([], { from: 'user' }).opts()).toEqual({ memory });
});

test('a token that cannot be sent in a header is refused without being shown', () => {
  const command = () =>
    new Command().exitOverride().addOption(makeTokenOption('--control-token <token>', ''));
  const refusal =
    /^--control-token \(or PINPAD_CONTROL_TOKEN\) must consist of visible ASCII characters, without [\w ]+$/;
  expect(() => command().parse(['--control-token', 'secret\n'], { from: 'user' })).toThrow(refusal);
  process.env.PINPAD_CONTROL_TOKEN = 'se\rcret';
  onTestFinished(() => void delete process.env.PINPAD_CONTROL_TOKEN);
  expect(() => command().parse([], { from: 'user' })).toThrow(refusal);
  expect(command().parse(['--control-token', 'secret'], { from: 'user' }).opts()).toEqual({
    controlToken: 'secret',
  });
});
