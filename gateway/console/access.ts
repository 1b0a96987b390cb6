import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/clock.ts';
import { isSameSecret } from '../http/guards.ts';
import type { InvalidatedCredentialStore } from './invalidated-credentials.ts';

/**
 * The time in ms for which a sign-in link is valid. A link that was printed and forgotten must not work the next day.
 */
const codeLifeMs = 15 * 60_000;
const sessionLifeMs = 7 * 24 * 3_600_000;
/**
 * A code contains the last two digits of its expiry time (base 36, in seconds). These digits repeat after
 * `expiryPeriodS` seconds. A code expires sooner than that, so its two digits fit only one expiry time.
 */
const expiryPeriodS = 36 ** 2;

interface AccessParts {
  /**
   * The machine's clock, or the database's clock if there are several gateways. The gateway's own clock is not used,
   * because it may be virtual and stand still. Then a sign-in would never expire.
   */
  clock: Clock;
  /**
   * The key that signs codes and sessions. Every gateway that has this token accepts these codes and sessions, even
   * after a restart.
   */
  controlToken: string;
  /**
   * The host name of the gateway's public address. The gateway can also be reached by the loopback names, such as
   * localhost.
   */
  publicHost?: string;
  /** The codes that were used, and the sessions that a sign-out has ended. */
  ended: InvalidatedCredentialStore;
}

type Headers = Pick<IncomingMessage, 'headers' | 'method'>;

/**
 * Decides which browsers may use the control API. A browser exchanges a code for a cookie; each code works once. After
 * that, requests from the console's own page are accepted.
 */
export class ConsoleAuthenticator {
  readonly #parts: AccessParts;
  #codesMade = 0;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** Makes a code with which one browser can sign in once, at any gateway, before the time `until`. */
  makeCode(): { code: string; until: number } {
    const { clock } = this.#parts;
    const until = expiryOfCodeMadeAt(clock.now());
    const unique = this.#derive(`${++this.#codesMade} ${clock.monotonic()} ${clock.now()}`).slice(0, 4);
    return { code: this.#codeOf(until, unique), until: until * 1000 };
  }

  /**
   * Uses up a code, and gives a new session. The browser may already have another session. Gives undefined if the code
   * is not valid.
   */
  async signIn(code: string): Promise<string | undefined> {
    const { clock, ended } = this.#parts;
    const now = clock.now();
    const latest = expiryOfCodeMadeAt(now);
    const expiryInCode = Number.parseInt(code.slice(0, 2), 36) || 0;
    const unique = code.slice(2, 6);
    const until = latest - ((latest - expiryInCode) % expiryPeriodS);
    const isValid = isSameSecret(code, this.#codeOf(until, unique)) && until * 1000 > now;
    if (!isValid || !(await ended.end(`code ${until} ${unique}`, until * 1000))) return undefined;
    const session = `${this.#derive(`session of ${code}`)}.${now + sessionLifeMs}`;
    return `${session}.${this.#signatureOf(session)}`;
  }

  /**
   * Ends all sessions whose cookies are in a request. There are several cookies if the browser has opened the console
   * on several ports.
   */
  async signOut(request: Headers): Promise<void> {
    for (const session of this.#validSessionsOf(request))
      await this.#parts.ended.end(session, Number(session.split('.')[1]));
  }

  /** Returns whether a request comes from the console's own page in a browser that has signed in. */
  admits(request: Headers): boolean {
    return this.isOwnPage(request) && this.#validSessionsOf(request).length > 0;
  }

  /**
   * Returns whether a page of this gateway sent the request. The headers Sec-Fetch-Site and Origin show whether another
   * page sent the request, even a page on another port of this machine. The header Host shows whether the request used
   * a foreign host name that points to this machine.
   */
  isOwnPage({ headers, method }: Headers): boolean {
    const { host = '', origin } = headers;
    if (headers['sec-fetch-site'] !== 'same-origin' || !this.#isOwnHost(host)) return false;
    const own = URL.parse(`http://${host}`)?.host;
    // Without this check, two unreadable origins would count as equal.
    if (own === undefined) return false;
    const isSafe = method === 'GET' || method === 'HEAD';
    return origin === undefined ? isSafe : URL.parse(origin)?.host === own;
  }

  /** Any port is accepted, because a tunnel to the gateway has a port of its own. */
  #isOwnHost(host: string): boolean {
    const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);
    return isLoopback || host === this.#parts.publicHost;
  }

  /** The cookie's name contains the port, because browsers keep the cookies of all ports of a machine together. */
  setCookie(session: string, { headers }: Headers, port: string): string {
    const secure = headers.origin?.startsWith('https:') ? '; Secure' : '';
    return `${cookieName}${port}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionLifeMs / 1000}${secure}`;
  }

  clearCookie(port: string): string {
    return `${cookieName}${port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /**
   * Gives the identifiers of the valid sessions in a request. The request may also have a cookie of another gateway.
   * That cookie is ignored.
   */
  #validSessionsOf({ headers }: Headers): string[] {
    const given = (headers.cookie ?? '').matchAll(cookie);
    return [...given].flatMap(([, id = '', until = '', signature = '']) => {
      const session = `${id}.${until}`;
      const isValid =
        isSameSecret(signature, this.#signatureOf(session)) && Number(until) > this.#parts.clock.now();
      return isValid && !this.#parts.ended.has(session) ? [session] : [];
    });
  }

  #signatureOf(session: string): string {
    return this.#derive(`signature of ${session}`);
  }

  /**
   * Makes the text of a code: two digits of its expiry time, four characters that differ from code to code, and a
   * signature of both. The code is short, so that a link fits into a line of 80 columns. The signature has 96 bits, so
   * an attacker cannot guess a code.
   */
  #codeOf(until: number, unique: string): string {
    const expiryInCode = (until % expiryPeriodS).toString(36).padStart(2, '0');
    return `${expiryInCode}${unique}${this.#derive(`code ${until} ${unique}`).slice(0, 16)}`;
  }

  /**
   * Makes a secret from the control token. No random number is drawn for this, so a seed still gives the same sequence
   * of random numbers.
   */
  #derive(what: string): string {
    return createHmac('sha256', this.#parts.controlToken).update(`console ${what}`).digest('base64url');
  }
}

/** Gives the time at which a code made at `now` expires, in seconds. */
const expiryOfCodeMadeAt = (now: number) => Math.ceil((now + codeLifeMs) / 1000);

const cookieName = 'pinpad_console_';
const cookie = new RegExp(
  `(?:^|;\\s*)${cookieName}\\d+=([\\w-]{43})\\.(\\d{13,15})\\.([\\w-]{43})(?=;|$)`,
  'g',
);
