import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addReaderOption } from './reader-options.ts';

const readers = (...args: string[]) =>
  addReaderOption(new Command()).parse(args, { from: 'user' }).opts<{ reader: string[] }>().reader;

test.each([
  [['pn532:/dev/ttyUSB0  msr:COM3'], ['pn532:/dev/ttyUSB0', 'msr:COM3']],
  [['auto P400-100000002=auto'], ['auto', 'P400-100000002=auto']],
  [['pcsc:ACS ACR122U 00 00'], ['pcsc:ACS ACR122U 00 00']],
  [
    ['pcsc:Identiv uTrust [uTrust CL Reader] 01 00 P400-2=pcsc:auto', 'auto '],
    ['pcsc:Identiv uTrust [uTrust CL Reader] 01 00', 'P400-2=pcsc:auto', 'auto'],
  ],
])('%j names readers whose own names may have spaces, as "pinpad readers" prints them', (texts, expected) => {
  expect(readers(...texts.flatMap((text) => ['--reader', text]))).toEqual(expected);
});
