import type { LineSettings } from './reader-driver.ts';

/**
 * Everything that is known about the readers of one serial protocol. Only the driver's code is elsewhere
 * (`create-driver.ts`).
 */
interface KnownDriver {
  /** Whether these readers answer a greeting, so that a probe of a port finds them. */
  readonly answers: boolean;
  /** The forms of frames that these readers can use. If a person names none, the first form is used. */
  readonly framings: readonly [KnownFraming, ...KnownFraming[]];
}

interface KnownFraming {
  readonly name?: string;
  /** The settings of the line. A person can replace them by other settings. */
  readonly line: LineSettings;
  /** The table in docs/readers.md shows the texts `reads` and `devices`. */
  readonly reads: string;
  readonly devices: string;
}

/** All drivers, by their names for `--reader`. A probe tries them in this order. */
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
        devices:
          'ACS ACR1281S (pinpad does not use its antenna), but not the ACR122S, which has no chip slot',
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

/** The names of the drivers that `--reader` accepts. */
export const readerDriverNames = Object.keys(drivers) as ReaderDriverName[];

/** The driver of a reader. Without `framing`, the driver's first form of frames is used. */
export interface DriverChoice {
  readonly driver: ReaderDriverName;
  readonly framing?: string;
}

/** A driver together with one of its forms of frames. */
interface KnownChoice extends DriverChoice, Omit<KnownFraming, 'name'> {
  readonly answers: boolean;
}

/** Every driver with each of its forms of frames. For a driver's first form, `framing` is absent. */
export const driverChoices: readonly KnownChoice[] = readerDriverNames.flatMap((driver) => {
  const { framings, answers } = known[driver];
  return framings.map(({ name, ...about }, nth) => ({
    driver,
    ...(nth === 0 ? {} : { framing: name }),
    answers,
    ...about,
  }));
});

/** Returns the names of a driver's forms of frames. The list is empty if the driver has only one form. */
export function framingNamesOf(driver: ReaderDriverName): string[] {
  return known[driver].framings.flatMap(({ name }) => name ?? []);
}

/**
 * The driver for a port that does not answer. It is the driver of magnetic stripe readers, because these readers never
 * answer.
 */
export const silentPortDriver: DriverChoice = { driver: 'msr' };

export function lineSettingsOf({ driver, framing }: DriverChoice): LineSettings {
  const [first, ...others] = known[driver].framings;
  return (others.find(({ name }) => name === framing) ?? first).line;
}

/** Gives the text with which the option `--reader` names the reader at an address. */
export function readerOptionText({ driver, framing }: DriverChoice, address: string): string {
  const isFirst = known[driver].framings[0].name === framing;
  return `${driver}:${address}${framing === undefined || isFirst ? '' : `?framing=${framing}`}`;
}
