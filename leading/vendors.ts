/** Whose calls are led here. */
export interface Vendor {
  readonly name: string;
  /** What the front's authority may vouch for. */
  readonly domain: string;
  /** The hosts that are led, all of which listen on port 443. Its other hosts are not: pinpad has nothing to answer for them. */
  readonly hosts: readonly string[];
  /** One of these begins each of the hosts. */
  readonly beginnings: readonly string[];
}

/** The port on which all these hosts listen. */
export const vendorPort = 443;

/** The hosts of its Terminal API and of its device API, test and live. Of the live ones each region but the first has its own. */
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

/** By the word that `pinpad as` is called with. */
export const vendors: Readonly<Record<string, Vendor>> = { adyen };

export function isLed(vendor: Vendor, host: string, port: number): boolean {
  return port === vendorPort && vendor.hosts.includes(host.toLowerCase().replace(/\.$/, ''));
}
