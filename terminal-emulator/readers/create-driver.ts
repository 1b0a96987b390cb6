import { CcidDriver } from './ccid/ccid-driver.ts';
import type { EmvReadContext } from './emv/read-card.ts';
import { MsrDriver } from './msr/msr-driver.ts';
import { Pn532Driver } from './pn532/pn532-driver.ts';
import type { ByteTransport, ReaderDriver } from './reader-driver.ts';
import type { DriverChoice, ReaderDriverName } from './reader-drivers.ts';
import { Vivotech2Driver } from './vivotech2/vivotech2-driver.ts';

type Create = (transport: ByteTransport, emv: EmvReadContext, framing: string | undefined) => ReaderDriver;

/**
 * The code of the drivers. It is kept apart from their descriptions, because pinpad needs only the descriptions when it
 * starts.
 */
const creators: Record<ReaderDriverName, Create> = {
  pn532: (transport, emv) => new Pn532Driver(transport, emv),
  ccid: (transport, emv, framing) => new CcidDriver(transport, emv, framing === 'acs' ? 'acs' : 'gempc'),
  msr: (transport, emv) => new MsrDriver(transport, emv),
  vivotech2: (transport, emv) => new Vivotech2Driver(transport, emv),
};

/** Makes the driver for an open line. */
export function createDriver(
  transport: ByteTransport,
  { driver, framing }: DriverChoice,
  emv: EmvReadContext,
): ReaderDriver {
  return creators[driver](transport, emv, framing);
}
