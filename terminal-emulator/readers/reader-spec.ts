import { z } from 'zod';
import type { LineSettings } from './reader-driver.ts';
import { type DriverChoice, framingNamesOf, readerDriverNames } from './reader-drivers.ts';

/** The address of a reader's line: a serial port, or a serial port that a server offers over TCP. */
export type ReaderAddress =
  | { readonly kind: 'serial'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** A reader, as a person names it on the command line or in the configuration. */
export type ReaderSpec =
  | { readonly kind: 'auto' }
  /**
   * A reader of the machine's PC/SC service: the first reader whose name contains `name`. If `name` is undefined, it is
   * the first reader in the service's list.
   */
  | { readonly kind: 'pcsc'; readonly name: string | undefined }
  | NamedReader;

interface NamedReader extends DriverChoice {
  readonly kind: 'named';
  readonly address: ReaderAddress;
  /** Settings that replace the driver's own line settings. */
  readonly settings: Partial<LineSettings>;
}

/** Thrown if the text names no reader. The message is one line that says which texts are possible. */
export class ReaderSpecError extends Error {}

const examples =
  'auto, pcsc:auto, pcsc:ACR122, pn532:/dev/ttyUSB0, ccid:tcp://127.0.0.1:4000 or msr:/dev/ttyUSB1?baud=19200';

const options = z.strictObject({
  baud: z.coerce.number().int().min(50).max(4_000_000).optional(),
  bits: z
    .enum(['7', '8'])
    .transform(Number)
    .pipe(z.literal([7, 8]))
    .optional(),
  stop: z
    .enum(['1', '2'])
    .transform(Number)
    .pipe(z.literal([1, 2]))
    .optional(),
  parity: z.enum(['none', 'even', 'odd']).optional(),
  framing: z.string().optional(),
});

/**
 * Reads the name of a reader: `auto`, `pcsc:auto`, `pcsc:NAME` or `DRIVER:ADDRESS[?option=value&…]`. The options are
 * baud, bits (7, 8), stop (1, 2), parity (none, even, odd) and, if the driver has several forms of frames, framing.
 *
 * @throws ReaderSpecError
 */
export function parseReaderSpec(text: string): ReaderSpec {
  if (text === 'auto') return { kind: 'auto' };
  const [, pcscName] = /^pcsc:(.+)$/.exec(text) ?? [];
  if (pcscName !== undefined) return { kind: 'pcsc', name: pcscName === 'auto' ? undefined : pcscName };
  const [, name = '', place = '', query = ''] = /^([^:]*):([^?]+)(?:\?(.*))?$/.exec(text) ?? [];
  const driver = readerDriverNames.find((each) => each === name);
  if (!driver || place === '')
    throw new ReaderSpecError(
      `"${text}" is not a reader: use ${examples}; drivers are pcsc, ${readerDriverNames.join(', ')}`,
    );
  const parsed = options.safeParse(Object.fromEntries(new URLSearchParams(query)));
  if (!parsed.success)
    throw new ReaderSpecError(
      `"${text}": options are baud, bits, stop, parity and framing, e.g. ?baud=19200&parity=even`,
    );
  const { framing, ...settings } = parsed.data;
  const framings = framingNamesOf(driver);
  if (framing !== undefined && !framings.includes(framing))
    throw new ReaderSpecError(
      framings.length === 0
        ? `"${text}": ${driver} has only one form of frames, so remove the option framing`
        : `"${text}": for ${driver}, the option framing can be ${framings.join(' or ')}`,
    );
  return {
    kind: 'named',
    driver,
    address: parseReaderAddress(place, text),
    settings: lineSettings(settings),
    ...(framing === undefined ? {} : { framing }),
  };
}

function lineSettings({
  baud,
  bits,
  stop,
  parity,
}: Omit<z.output<typeof options>, 'framing'>): Partial<LineSettings> {
  return {
    ...(baud === undefined ? {} : { baudRate: baud }),
    ...(bits === undefined ? {} : { dataBits: bits }),
    ...(stop === undefined ? {} : { stopBits: stop }),
    ...(parity === undefined ? {} : { parity }),
  };
}

/**
 * Reads an address: a path or COM port, or `tcp://HOST:PORT` for a serial server.
 * @throws ReaderSpecError
 */
export function parseReaderAddress(place: string, whole: string = place): ReaderAddress {
  if (!place.startsWith('tcp:')) return { kind: 'serial', path: place };
  const [, host = '', digits = ''] = /^tcp:(?:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)\/?$/.exec(place) ?? [];
  const port = Number(digits);
  if (host === '' || port < 1 || port > 65_535)
    throw new ReaderSpecError(`"${whole}" is no address of a serial server: write tcp://HOST:PORT`);
  return { kind: 'tcp', host: host.replace(/^\[|\]$/g, ''), port };
}

/** Gives the text with which a person would name the reader. */
export function describeReaderSpec(spec: ReaderSpec): string {
  if (spec.kind === 'auto') return 'auto';
  return spec.kind === 'pcsc'
    ? `pcsc:${spec.name ?? 'auto'}`
    : `${spec.driver}:${describeReaderAddress(spec.address)}`;
}

export function describeReaderAddress(address: ReaderAddress): string {
  return address.kind === 'serial' ? address.path : `tcp://${address.host}:${address.port}`;
}
