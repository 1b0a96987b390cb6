import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { option } from './options.ts';

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
  const command = new Command().addOption(option('--memory', 'keeps nothing'));
  expect(command.parse([], { from: 'user' }).opts()).toEqual({ memory });
});
