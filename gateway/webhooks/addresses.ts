import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** The rules that say to which addresses webhooks may be sent. */
export const addressRulesSchema = z.object({
  /** Whether webhooks may go to loopback, private and other special networks. */
  allowPrivateNetworks: z.boolean(),
  /** Networks to which webhooks may always go, in CIDR form, unless `loopbackOnly` is true. */
  allowedNetworks: z
    .array(z.string().refine((text) => ipaddr.isValidCIDR(text), 'must be a network such as 10.1.0.0/16'))
    .default([]),
  /** Whether webhooks may go only to this machine, even if the other rules allow more. */
  loopbackOnly: z.boolean().optional(),
});
export type AddressRules = z.output<typeof addressRulesSchema>;

/**
 * Gives the default rules for a gateway that listens on `host`. A gateway that serves only its own machine may send
 * webhooks to private networks. A gateway that serves other machines may not, because another machine could reach
 * private networks by way of the gateway.
 */
export function makeDefaultAddressRules(host: string): AddressRules {
  return { allowPrivateNetworks: isLoopback(host), allowedNetworks: [] };
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Returns whether the rules allow a webhook to be sent to an IP address. */
export function isAllowedAddress(address: string, rules: AddressRules): boolean {
  if (rules.loopbackOnly) return isLoopback(address);
  if (rules.allowPrivateNetworks) return true;
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address); // ::ffff:10.0.0.1 is 10.0.0.1
  if (isPublic(parsed)) return true;
  return rules.allowedNetworks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/**
 * All public IPv6 addresses are in this network. An IPv6 address that is not in this network may stand for an IPv4
 * address, for example ::127.0.0.1.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return !(address instanceof ipaddr.IPv6) || (address.match(globalUnicast) && !isTunnelled(address));
}

/**
 * Returns whether this is an ISATAP address. The last part of such an address is an IPv4 address. Packets for the
 * ISATAP address are sent to this IPv4 address, which may be in a private network.
 */
function isTunnelled({ parts }: ipaddr.IPv6): boolean {
  const [universal = 0, protocol = 0] = parts.slice(4, 6);
  return (universal & ~0x0300) === 0 && protocol === 0x5efe;
}

/** Gives the IP address in a URL; undefined if the URL has a name instead of an IP address. */
export function readLiteralAddress(url: URL): string | undefined {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

/**
 * Makes a function that looks up names and gives only allowed addresses. The connection is then made to one of these
 * addresses. So an attacker cannot give the name another address between the check and the connection.
 */
export function makeCheckedLookup(rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    // If webhooks may go only to this machine, a name of any other machine is refused without a lookup, because a
    // lookup would send a request to another machine.
    if (rules.loopbackOnly && !isLoopback(hostname))
      return callback(makeAddressNotAllowedError(hostname), '', 0);
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isAllowedAddress(address, rules));
      const [first] = allowed;
      if (!first) return callback(makeAddressNotAllowedError(hostname), '', 0);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

export function makeAddressNotAllowedError(host: string): Error {
  return new Error(`the address of ${host} is not allowed here (webhooks.allowPrivateNetworks)`);
}
