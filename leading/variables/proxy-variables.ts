import { matchesNoProxy } from '../proxy/users-proxy.ts';
import { type Vendor, vendorHostPort } from '../vendors.ts';
import type { EnvironmentVariables } from './environment.ts';

/** The hosts that need no proxy. */
const local = ['localhost', '127.0.0.1', '::1'];

/**
 * Returns the variables that tell programs which proxy to use. Each name is set in lower and in upper case, because
 * some programs read only one of the two.
 */
export function makeProxyVariables(
  environment: EnvironmentVariables,
  redirection: { vendor: Vendor; proxyUrl: string },
): Record<string, string> {
  const before = (environment.no_proxy || environment.NO_PROXY || '').split(/[\s,]+/);
  const kept = before.filter(
    (entry) =>
      entry !== '' && !redirection.vendor.hosts.some((host) => matchesNoProxy(entry, host, vendorHostPort)),
  );
  const excluded = [...new Set([...kept, ...local])].join(',');
  return {
    ...{ HTTPS_PROXY: redirection.proxyUrl, https_proxy: redirection.proxyUrl },
    ...{ NO_PROXY: excluded, no_proxy: excluded },
  };
}
