import { readdir, realpath } from 'node:fs/promises';
import { errorText } from '../error-text.ts';

/** A serial port that the operating system knows. */
export interface ListedPort {
  /** The path to open. It is the stable name under /dev/serial/by-id if there is one. */
  readonly path: string;
  /** The device itself, e.g. /dev/ttyUSB0. */
  readonly device: string;
  /** A description for people: the manufacturer's name and the name of the USB chip. */
  readonly description: string;
  /** The vendor and product in upper-case hexadecimal, such as `1A86:7523`; absent on ports that are not USB. */
  readonly usbId: string | undefined;
  readonly serialNumber: string | undefined;
}

interface PortListing {
  readonly ports: readonly ListedPort[];
  /** Why the list may be incomplete, as one line for people. */
  readonly warning: string | undefined;
}

/** The names of the chips in USB serial cables. They identify the cable, not the reader behind it. */
const knownChips = new Map([
  ['1A86:7523', 'CH340 cable'],
  ['10C4:EA60', 'CP2102 cable'],
  ['0403:6001', 'FTDI cable'],
  ['067B:2303', 'PL2303 cable'],
]);

/** The fields of `SerialPort.list()` that pinpad uses. */
interface RawPort {
  readonly path: string;
  readonly manufacturer?: string;
  readonly serialNumber?: string;
  readonly vendorId?: string;
  readonly productId?: string;
}

export interface PortSources {
  list(): Promise<readonly RawPort[]>;
  /**
   * Reads the stable paths under /dev/serial/by-id. Each of these paths is a link to a device, and the device's path is
   * read too.
   */
  stableNames(): Promise<ReadonlyMap<string, string>>;
  /** Finds serial devices by their file names, on systems without udev. */
  devices(): Promise<readonly string[]>;
}

/**
 * Lists the serial ports. Without udev (minimal Debian, Alpine, containers), devices are found by their file names, and
 * their makers are unknown. Pseudo-terminals are never listed: a person has to name them.
 */
export async function listPorts(sources: PortSources = systemSources): Promise<PortListing> {
  const stable = await sources.stableNames();
  try {
    const raw = await sources.list();
    return { ports: raw.map((port) => listed(port, stable)), warning: undefined };
  } catch (error) {
    const devices = await sources.devices();
    const noUdev = /udevadm|ENOENT/.test(errorText(error));
    return {
      ports: devices.map((path) => listed({ path }, stable)),
      warning: noUdev
        ? 'udev is not installed, so makers are unknown: name the port, e.g. --reader pn532:/dev/ttyUSB0'
        : `the system cannot list its ports (${errorText(error)}): name the port`,
    };
  }
}

function listed(port: RawPort, stable: ReadonlyMap<string, string>): ListedPort {
  const usbId =
    port.vendorId && port.productId ? `${port.vendorId}:${port.productId}`.toUpperCase() : undefined;
  const chip = usbId && knownChips.get(usbId);
  const description = [port.manufacturer, chip].filter(Boolean).join(', ');
  return {
    path: stable.get(port.path) ?? port.path,
    device: port.path,
    description: description || (usbId ? `USB ${usbId}` : 'serial port'),
    usbId,
    serialNumber: port.serialNumber,
  };
}

const systemSources: PortSources = {
  async list() {
    const { SerialPort } = await import('serialport');
    return SerialPort.list();
  },
  async stableNames() {
    const folder = '/dev/serial/by-id';
    const names = await readdir(folder).catch(() => []);
    const pairs = names.map(
      async (name) => [await realpath(`${folder}/${name}`), `${folder}/${name}`] as const,
    );
    return new Map(
      (await Promise.allSettled(pairs)).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    );
  },
  async devices() {
    const names = await readdir('/dev').catch(() => []);
    return names.filter((name) => /^tty(USB|ACM|AMA|WCH|XRUSB)\d+$/.test(name)).map((name) => `/dev/${name}`);
  },
};
