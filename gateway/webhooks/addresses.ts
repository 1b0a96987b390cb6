import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** The rules about the addresses to which webhooks may be sent. */
export const addressRules = z.object({
  /** Whether loopback, private and other special networks are allowed. */
  allowPrivateNetworks: z.boolean(),
  /** Networks that are allowed in any case, in CIDR form. */
  allowedNetworks: z
    .array(z.string().refine((text) => ipaddr.isValidCIDR(text), 'must be a network such as 10.1.0.0/16'))
    .default([]),
  /** Allows only this machine, whatever else is allowed. */
  loopbackOnly: z.boolean().optional(),
});
export type AddressRules = z.output<typeof addressRules>;

/**
 * Gives the rules of a gateway that listens on `host` and has no other rules. A gateway that serves only its own
 * machine may reach private networks. A gateway that serves other machines must not become their way into these
 * networks.
 */
export function defaultAddressRules(host: string): AddressRules {
  return { allowPrivateNetworks: isLoopback(host), allowedNetworks: [] };
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Whether the rules let a webhook go to an IP address. */
export function isAllowed(address: string, rules: AddressRules): boolean {
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
 * All public IPv6 addresses are in this network. An address outside may stand for an IPv4 address, as ::127.0.0.1 does.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return !(address instanceof ipaddr.IPv6) || (address.match(globalUnicast) && !isTunnelled(address));
}

/** ISATAP: the end of the address is an IPv4 address of the site's own network, to which the packet is sent. */
function isTunnelled({ parts }: ipaddr.IPv6): boolean {
  const [universal = 0, protocol = 0] = parts.slice(4, 6);
  return (universal & ~0x0300) === 0 && protocol === 0x5efe;
}

/** The IP address that a URL names without a look-up, or undefined. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

/**
 * Makes a look-up that gives only allowed addresses. The connection goes to the address that the look-up gives, so a
 * name cannot mean another address when the connection is made.
 */
export function checkedLookup(rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    // Even the look-up of a name reaches another machine.
    if (rules.loopbackOnly && !isLoopback(hostname)) return callback(notAllowed(hostname), '', 0);
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isAllowed(address, rules));
      const [first] = allowed;
      if (!first) return callback(notAllowed(hostname), '', 0);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

export function notAllowed(host: string): Error {
  return new Error(`the address of ${host} is not allowed here (webhooks.allowPrivateNetworks)`);
}
