/** A vendor whose calls are led here. */
export interface Vendor {
  readonly name: string;
  /** The domain for which the front's authority may issue certificates. */
  readonly domain: string;
  /**
   * The hosts that are led, all on port 443. The vendor's other hosts are not led, because pinpad cannot answer for
   * them.
   */
  readonly hosts: readonly string[];
  /** Each of the hosts begins with one of these. */
  readonly beginnings: readonly string[];
}

/** The port of all these hosts. */
export const vendorPort = 443;

/**
 * The hosts of its Terminal API and device API, test and live. Of the live ones, each region but the first has its own.
 */
const adyenHosts = {
  beginnings: ['terminal-api-', 'device-api-'],
  ends: ['test', 'live', 'live-us', 'live-au', 'live-apse'],
};

const adyen: Vendor = {
  name: 'Adyen',
  domain: 'adyen.com',
  beginnings: adyenHosts.beginnings,
  hosts: adyenHosts.beginnings.flatMap((api) => adyenHosts.ends.map((end) => `${api}${end}.adyen.com`)),
};

/** The vendors by the word that `pinpad as` is called with. */
export const vendors: Readonly<Record<string, Vendor>> = { adyen };

export function isLed(vendor: Vendor, host: string, port: number): boolean {
  return port === vendorPort && vendor.hosts.includes(host.toLowerCase().replace(/\.$/, ''));
}
