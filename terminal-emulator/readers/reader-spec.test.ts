import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeReaderSpec, parseReaderSpec, ReaderSpecError } from './reader-spec.ts';

test('auto is a reader that must still be found', () => {
  expect(parseReaderSpec('auto')).toEqual({ kind: 'auto' });
});

test.each([
  [
    'pn532:/dev/ttyUSB0',
    { driver: 'pn532', address: { kind: 'serial', path: '/dev/ttyUSB0' }, settings: {} },
  ],
  ['ccid:tcp://127.0.0.1:4000', { driver: 'ccid', address: { kind: 'tcp', host: '127.0.0.1', port: 4000 } }],
  ['ccid:tcp:[::1]:4000', { address: { kind: 'tcp', host: '::1', port: 4000 } }],
  ['ccid:COM3?framing=acs', { address: { kind: 'serial', path: 'COM3' }, framing: 'acs' }],
  ['msr:/dev/ttyUSB1?baud=19200', { driver: 'msr', settings: { baudRate: 19_200 } }],
  [
    'msr:/dev/x?baud=1200&bits=7&stop=2&parity=even',
    { settings: { baudRate: 1200, dataBits: 7, stopBits: 2, parity: 'even' } },
  ],
  [
    'vivotech2:/dev/serial/by-id/usb-ID_TECH:1',
    { address: { kind: 'serial', path: '/dev/serial/by-id/usb-ID_TECH:1' } },
  ],
])('%s is read', (text, expected) => {
  expect(parseReaderSpec(text)).toMatchObject({ kind: 'named', ...expected });
});

test('a spec that was read is written the same', () => {
  for (const text of ['auto', 'pn532:/dev/ttyUSB0', 'ccid:tcp://127.0.0.1:4000'])
    expect(describeReaderSpec(parseReaderSpec(text))).toBe(text);
});

test.each([
  '',
  'pn532',
  'pn532:',
  'rfid:/dev/ttyUSB0',
  'ccid:tcp://127.0.0.1',
  'ccid:tcp://127.0.0.1:99999',
  'msr:/dev/ttyUSB0?baud=fast',
  'msr:/dev/ttyUSB0?speed=9600',
  'msr:/dev/ttyUSB0?bits=9',
])('"%s" is refused in one line', (text) => {
  expect(() => parseReaderSpec(text)).toThrow(ReaderSpecError);
  expect(() => parseReaderSpec(text)).toThrow(/^[^\n]+$/);
});

test('an option framing that the driver does not have is refused with what to do', () => {
  expect(() => parseReaderSpec('pn532:/dev/x?framing=acs')).toThrow(/only one form of frames, so remove/);
  expect(() => parseReaderSpec('ccid:/dev/x?framing=raw')).toThrow(/framing can be gempc or acs$/);
});

test('any text is either read as a reader or refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseReaderSpec(`msr:${text}`);
      } catch (error) {
        expect(error).toBeInstanceOf(ReaderSpecError);
      }
    }),
    { seed: 12, numRuns: 300 },
  );
});
