import { expect, test } from 'vitest';
import { listPorts, type PortSources } from './list-ports.ts';

const sources = (changes: Partial<PortSources>): PortSources => ({
  list: async () => [],
  stableNames: async () => new Map(),
  devices: async () => [],
  ...changes,
});

test('a USB cable is recognised by its chip, in any case of its id, and opened by its stable name', async () => {
  const listing = await listPorts(
    sources({
      list: async () => [
        {
          path: '/dev/ttyUSB0',
          manufacturer: 'QinHeng',
          vendorId: '1a86',
          productId: '7523',
          serialNumber: 'A1',
        },
        { path: '/dev/ttyS0' },
      ],
      stableNames: async () => new Map([['/dev/ttyUSB0', '/dev/serial/by-id/usb-1a86_A1-if00-port0']]),
    }),
  );
  expect(listing.ports).toEqual([
    {
      path: '/dev/serial/by-id/usb-1a86_A1-if00-port0',
      device: '/dev/ttyUSB0',
      description: 'QinHeng, CH340 cable',
      usbId: '1A86:7523',
      serialNumber: 'A1',
    },
    {
      path: '/dev/ttyS0',
      device: '/dev/ttyS0',
      description: 'serial port',
      usbId: undefined,
      serialNumber: undefined,
    },
  ]);
  expect(listing.warning).toBeUndefined();
});

test('without udev the devices are found by name, and the listing says what is missing', async () => {
  const listing = await listPorts(
    sources({
      list: () => Promise.reject(new Error('spawn udevadm ENOENT')),
      devices: async () => ['/dev/ttyACM0'],
    }),
  );
  expect(listing.ports.map((port) => port.path)).toEqual(['/dev/ttyACM0']);
  expect(listing.warning).toMatch(/udev is not installed.*name the port/);
});

test('listing the ports of this machine does not throw', async () => {
  expect((await listPorts()).ports).toBeInstanceOf(Array);
});
