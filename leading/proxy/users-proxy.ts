import { BlockList, isIP } from 'node:net';

/**
 * Returns the user's proxy for a host whose calls are not redirected; undefined if the host is reached without a proxy.
 */
export type UsersProxyFinder = (host: string, port: number) => URL | undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the proxy variables in the same order as most programs: `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`.
 * The first variable that is set counts.
 *
 * @throws no error: an invalid address counts as no proxy
 */
export function createUsersProxyFinder(environment: Environment): UsersProxyFinder {
  const set = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const address = set('https_proxy') ?? set('all_proxy');
  const url = address === undefined ? undefined : proxyUrl(address);
  const excluded = (set('no_proxy') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return (host, port) =>
    url && !excluded.some((entry) => matchesNoProxy(entry, host, port)) ? url : undefined;
}

/**
 * Reads the address of a proxy, which may have the form `host:3128`. Returns undefined for a proxy that is not an HTTP
 * proxy, because pinpad cannot use such a proxy.
 */
function proxyUrl(address: string): URL | undefined {
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/**
 * Whether an entry of NO_PROXY includes a host. An entry is a host's name, an address, a block of addresses, or `*`. A
 * name also includes all its subdomains.
 */
export function matchesNoProxy(entry: string, host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (entry === '*') return true;
  const [, block, bits] = /^\[?([\d.a-f:]+)\]?\/(\d{1,3})$/i.exec(entry) ?? [];
  if (block !== undefined) return isInBlock(name, block, Number(bits));
  const [, own = entry, ownPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (ownPort !== undefined && Number(ownPort) !== port) return false;
  const suffix = own.toLowerCase().replace(/^\[|\]$|^\*?\./g, '');
  return name === suffix || (isIP(name) === 0 && name.endsWith(`.${suffix}`));
}

function isInBlock(name: string, block: string, bits: number): boolean {
  const family = isIP(block) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(name) !== isIP(block) || isIP(name) === 0 || bits > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(block, bits, family);
  return list.check(name, family);
}
