/** A vendor. pinpad can redirect the calls that clients make to the vendor's hosts. */
export interface Vendor {
  readonly name: string;
  /** The domain for which the vendor server's authority may issue certificates. */
  readonly domain: string;
  /**
   * The hosts whose calls are redirected, all on port 443. Calls to the vendor's other hosts are not redirected,
   * because pinpad cannot answer for them.
   */
  readonly hosts: readonly string[];
  /** The texts with which the names of `hosts` begin. Every name begins with one of them. */
  readonly beginnings: readonly string[];
}

/** The port on which the hosts of all vendors listen. */
export const vendorHostPort = 443;

/**
 * The hosts of Adyen's Terminal API and device API, for test and live. The names of live hosts end with their region,
 * except in the first region.
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

/** For each word that may follow `pinpad as`, the vendor. */
export const vendors: Readonly<Record<string, Vendor>> = { adyen };

export function isVendorAddress(vendor: Vendor, host: string, port: number): boolean {
  return port === vendorHostPort && vendor.hosts.includes(host.toLowerCase().replace(/\.$/, ''));
}
