import { createCcidDriver } from './ccid/ccid-driver.ts';
import type { EmvReader } from './emv/read-card.ts';
import { createMsrDriver } from './msr/msr-driver.ts';
import { createPn532Driver } from './pn532/pn532-driver.ts';
import type { ByteTransport, ReaderDriver } from './reader-driver.ts';
import type { DriverChoice, ReaderDriverName } from './reader-drivers.ts';
import { createVivotech2Driver } from './vivotech2/vivotech2-driver.ts';

type Create = (transport: ByteTransport, emv: EmvReader, framing: string | undefined) => ReaderDriver;

/**
 * The code of the drivers. It is kept apart from their descriptions, because a start of pinpad needs only the
 * descriptions.
 */
const creators: Record<ReaderDriverName, Create> = {
  pn532: createPn532Driver,
  ccid: (transport, emv, framing) =>
    createCcidDriver(transport, emv, { framing: framing === 'acs' ? 'acs' : 'gempc' }),
  msr: createMsrDriver,
  vivotech2: createVivotech2Driver,
};

/** Makes the driver for an open line. */
export function createDriver(
  transport: ByteTransport,
  { driver, framing }: DriverChoice,
  emv: EmvReader,
): ReaderDriver {
  return creators[driver](transport, emv, framing);
}
