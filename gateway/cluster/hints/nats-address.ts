import querystring from 'node:querystring';

/** Whether this is `nats://` or `tls://` and a host, or several such addresses with commas between them. */
export function isNatsAddress(address: string): boolean {
  return urlsOf(address).every(
    (url) =>
      url !== null && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && url.pathname.length <= 1,
  );
}

/** The options that the client needs. The package's own types are for clients that it does not contain. */
interface NatsOptions {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  tls?: object;
}

/**
 * The options for a connection to an address: with a user and a password, or with a token instead. An address may name
 * several servers; the first one contains the password, and any of the servers is used.
 */
export function natsOptions(address: string): NatsOptions {
  const urls = urlsOf(address).filter((url) => url !== null);
  const { username = '', password = '' } = urls[0] ?? {};
  const [user, pass] = [querystring.unescape(username), querystring.unescape(password)];
  return {
    servers: urls.map(({ host }) => host),
    ...(pass === '' ? user !== '' && { token: user } : { user, pass }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
}

/** The address's hosts, without user, password and token. */
export function natsPlace(address: string): string {
  return natsOptions(address).servers.join(', ');
}

function urlsOf(address: string): (URL | null)[] {
  return address.split(',').map((each) => URL.parse(each.trim()));
}
