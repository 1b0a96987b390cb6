import querystring from 'node:querystring';

/**
 * Returns whether `address` is a NATS address: `nats://` or `tls://` and a host. Several addresses with commas between
 * them are accepted, too.
 */
export function isNatsAddress(address: string): boolean {
  return urlsOf(address).every(
    (url) =>
      url !== null && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && url.pathname.length <= 1,
  );
}

/**
 * The options that this folder passes to the NATS client. They are declared here, because the types in the client's
 * package belong to a different client.
 */
interface NatsOptions {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  tls?: object;
}

/**
 * Makes the options for a connection to an address. The address may contain a user and a password, or a token. If it
 * names several servers, the user, password or token of the first server is used for all servers.
 */
export function parseNatsOptions(address: string): NatsOptions {
  const urls = urlsOf(address).filter((url) => url !== null);
  const { username = '', password = '' } = urls[0] ?? {};
  const [user, pass] = [querystring.unescape(username), querystring.unescape(password)];
  return {
    servers: urls.map(({ host }) => host),
    ...(pass === '' ? user !== '' && { token: user } : { user, pass }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
}

/** Returns the hosts in the address, without user, password and token. */
export function parseNatsHosts(address: string): string {
  return parseNatsOptions(address).servers.join(', ');
}

function urlsOf(address: string): (URL | null)[] {
  return address.split(',').map((each) => URL.parse(each.trim()));
}
