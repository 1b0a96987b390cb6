import type { LineSettings } from './reader-driver.ts';

/** Everything about the readers of one serial protocol but its code, which `create-driver.ts` has. */
interface KnownDriver {
  /** Whether its readers answer a greeting, so that asking a port finds them. */
  readonly answers: boolean;
  /** How its frames may stand on the line; the first is meant where a person names none. */
  readonly framings: readonly [KnownFraming, ...KnownFraming[]];
}

interface KnownFraming {
  readonly name?: string;
  /** The settings of the line, unless a reader was configured otherwise. */
  readonly line: LineSettings;
  /** These two stand in the table of docs/readers.md. */
  readonly reads: string;
  readonly devices: string;
}

/** All drivers, by the names that `--reader` has for them. Ports are asked in this order. */
const drivers = {
  pn532: {
    answers: true,
    framings: [
      {
        line: { baudRate: 115_200, dataBits: 8, stopBits: 1, parity: 'none' },
        reads: 'tap',
        devices: 'PN532 boards switched to HSU, on a USB serial cable',
      },
    ],
  },
  ccid: {
    answers: true,
    framings: [
      {
        name: 'gempc',
        line: { baudRate: 115_200, dataBits: 8, stopBits: 2, parity: 'none' },
        reads: 'chip, T=0 and T=1',
        devices: 'GemPC Twin, GemPC PinPad, GemCore',
      },
      {
        name: 'acs',
        line: { baudRate: 9_600, dataBits: 8, stopBits: 1, parity: 'none' },
        reads: 'chip',
        devices: 'ACS ACR1281S; its antenna is not used. Not the ACR122S, which has no chip slot',
      },
    ],
  },
  msr: {
    answers: false,
    framings: [
      {
        line: { baudRate: 9_600, dataBits: 8, stopBits: 1, parity: 'none' },
        reads: 'stripe',
        devices: 'readers that send tracks as ASCII: MagTek, ID TECH, UIC',
      },
    ],
  },
  vivotech2: {
    answers: true,
    framings: [
      {
        line: { baudRate: 115_200, dataBits: 8, stopBits: 1, parity: 'none' },
        reads: 'tap',
        devices: 'ID TECH Vendi, Kiosk III, NEO 2. **Experimental**',
      },
    ],
  },
} satisfies Record<string, KnownDriver>;

export type ReaderDriverName = keyof typeof drivers;

const known: Record<ReaderDriverName, KnownDriver> = drivers;

/** The drivers that a reader can be named with. */
export const readerDriverNames = Object.keys(drivers) as ReaderDriverName[];

/** The choice of a reader's driver; without a framing, its first is meant. */
export interface DriverChoice {
  readonly driver: ReaderDriverName;
  readonly framing?: string;
}

/** A driver with one of its framings. */
interface KnownChoice extends DriverChoice, Omit<KnownFraming, 'name'> {
  readonly answers: boolean;
}

/** Every driver with each of its framings; none is named where it is the first. */
export const driverChoices: readonly KnownChoice[] = readerDriverNames.flatMap((driver) => {
  const { framings, answers } = known[driver];
  return framings.map(({ name, ...about }, nth) => ({
    driver,
    ...(nth === 0 ? {} : { framing: name }),
    answers,
    ...about,
  }));
});

/** The names that any driver has for its framings. */
export const framingNames = readerDriverNames.flatMap((driver) =>
  known[driver].framings.flatMap(({ name }) => name ?? []),
);

/** A port that does not answer is taken for a reader of this driver. */
export const silentDriver: DriverChoice = { driver: 'msr' };

export function lineSettingsOf({ driver, framing }: DriverChoice): LineSettings {
  const [first, ...others] = known[driver].framings;
  return (others.find(({ name }) => name === framing) ?? first).line;
}

/** Names the reader at an address as `--reader` takes it. */
export function readerOption({ driver, framing }: DriverChoice, address: string): string {
  const isFirst = known[driver].framings[0].name === framing;
  return `${driver}:${address}${framing === undefined || isFirst ? '' : `?framing=${framing}`}`;
}
