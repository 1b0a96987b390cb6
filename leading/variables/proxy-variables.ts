import { matches } from '../proxy/users-proxy.ts';
import { type Vendor, vendorPort } from '../vendors.ts';
import type { EnvironmentVariables } from './environment.ts';

/** What nobody wants a proxy for. */
const local = ['localhost', '127.0.0.1', '::1'];

/** For programs that ask these which proxy to use. Both cases: some read only one. */
export function proxyVariables(
  environment: EnvironmentVariables,
  led: { vendor: Vendor; proxyUrl: string },
): Record<string, string> {
  const before = (environment.no_proxy || environment.NO_PROXY || '').split(/[\s,]+/);
  const kept = before.filter(
    (entry) => entry !== '' && !led.vendor.hosts.some((host) => matches(entry, host, vendorPort)),
  );
  const excluded = [...new Set([...kept, ...local])].join(',');
  return {
    ...{ HTTPS_PROXY: led.proxyUrl, https_proxy: led.proxyUrl },
    ...{ NO_PROXY: excluded, no_proxy: excluded },
  };
}
