import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/clock.ts';
import { sameSecret } from '../http/guards.ts';
import type { EndedSessions } from './ended-sessions.ts';

/** How long a sign-in link is valid. One that was printed and forgotten must not work the next day. */
const codeLifeMs = 15 * 60_000;
const sessionLifeMs = 7 * 24 * 3_600_000;
/**
 * The seconds after which the numbers in codes repeat. A code lives for less, so its number can mean only one moment.
 */
const secondsTold = 36 ** 2;

interface AccessParts {
  /** The machine's clock, or that of a database with several gateways: a virtual clock that stands still must not extend access. */
  clock: Clock;
  /** The key that signs codes and sessions. Every gateway that has it accepts them, even after a restart. */
  controlToken: string;
  /** The names by which the gateway is reached, besides those of loopback: the host of its public address. */
  publicHost?: string;
  /** The codes and sessions that ended before their time. */
  ended: EndedSessions;
}

type Headers = Pick<IncomingMessage, 'headers' | 'method'>;

/** Admits browsers to the control API: those that exchanged a one-time code for a cookie, on the console's own page. */
export class ConsoleAccess {
  readonly #parts: AccessParts;
  #codesMade = 0;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** A code that signs in once, at any gateway, until a moment. */
  makeCode(): { code: string; until: number } {
    const { clock } = this.#parts;
    const until = latestEnd(clock.now());
    const unique = this.#derive(`${++this.#codesMade} ${clock.monotonic()} ${clock.now()}`).slice(0, 4);
    return { code: this.#codeOf(until, unique), until: until * 1000 };
  }

  /** Uses a code up. The session it gives is new, whatever the browser had before; undefined if the code is not valid. */
  async signIn(code: string): Promise<string | undefined> {
    const { clock, ended } = this.#parts;
    const now = clock.now();
    const latest = latestEnd(now);
    const told = Number.parseInt(code.slice(0, 2), 36) || 0;
    const unique = code.slice(2, 6);
    const until = latest - ((latest - told) % secondsTold);
    const holds = sameSecret(code, this.#codeOf(until, unique)) && until * 1000 > now;
    if (!holds || !(await ended.end(`code ${until} ${unique}`, until * 1000))) return undefined;
    const session = `${this.#derive(`session of ${code}`)}.${now + sessionLifeMs}`;
    return `${session}.${this.#signatureOf(session)}`;
  }

  /** Ends every session of a request: a browser that came by several ports has several. */
  async signOut(request: Headers): Promise<void> {
    for (const session of this.#sessionsOf(request))
      await this.#parts.ended.end(session, Number(session.split('.')[1]));
  }

  /** Whether a request comes from the console's own page, in a browser that signed in. */
  admits(request: Headers): boolean {
    return this.isOwnPage(request) && this.#sessionsOf(request).length > 0;
  }

  /**
   * Whether a page of this gateway sent the request. Browsers say so of a page elsewhere, even on another port of this
   * machine (Sec-Fetch-Site, Origin). A page whose own name was made to point here has that name as its Host.
   */
  isOwnPage({ headers, method }: Headers): boolean {
    const { host = '', origin } = headers;
    if (headers['sec-fetch-site'] !== 'same-origin' || !this.#isOwnHost(host)) return false;
    const own = URL.parse(`http://${host}`)?.host;
    if (own === undefined) return false; // an origin that cannot be read would be equal
    const isSafe = method === 'GET' || method === 'HEAD';
    return origin === undefined ? isSafe : URL.parse(origin)?.host === own;
  }

  /** Any port is allowed, because a tunnel has one of its own. */
  #isOwnHost(host: string): boolean {
    const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);
    return isLoopback || host === this.#parts.publicHost;
  }

  /** The cookie's name has the port, as browsers keep the cookies of all ports of a machine together. */
  setCookie(session: string, { headers }: Headers, port: string): string {
    const secure = headers.origin?.startsWith('https:') ? '; Secure' : '';
    return `${cookieName}${port}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionLifeMs / 1000}${secure}`;
  }

  clearCookie(port: string): string {
    return `${cookieName}${port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** Gives the identifiers of a request's valid sessions. Another gateway's cookie may come along. */
  #sessionsOf({ headers }: Headers): string[] {
    const given = (headers.cookie ?? '').matchAll(cookie);
    return [...given].flatMap(([, id = '', until = '', signature = '']) => {
      const session = `${id}.${until}`;
      const holds =
        sameSecret(signature, this.#signatureOf(session)) && Number(until) > this.#parts.clock.now();
      return holds && !this.#parts.ended.has(session) ? [session] : [];
    });
  }

  #signatureOf(session: string): string {
    return this.#derive(`signature of ${session}`);
  }

  /** Short, so that a link fits a line of 80 columns. 96 bits of a signature are more than can be guessed. */
  #codeOf(until: number, unique: string): string {
    const told = (until % secondsTold).toString(36).padStart(2, '0');
    return `${told}${unique}${this.#derive(`code ${until} ${unique}`).slice(0, 16)}`;
  }

  /** Makes a secret from the control token, without drawing from the seeded random numbers. */
  #derive(what: string): string {
    return createHmac('sha256', this.#parts.controlToken).update(`console ${what}`).digest('base64url');
  }
}

/** When a code that is made now ends, in seconds. */
const latestEnd = (now: number) => Math.ceil((now + codeLifeMs) / 1000);

const cookieName = 'pinpad_console_';
const cookie = new RegExp(
  `(?:^|;\\s*)${cookieName}\\d+=([\\w-]{43})\\.(\\d{13,15})\\.([\\w-]{43})(?=;|$)`,
  'g',
);
