import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/clock.ts';
import { sameSecret } from '../http/guards.ts';
import { SignedOut } from './signed-out.ts';

/** A link that was printed and forgotten must not let anybody in tomorrow. */
const codeLifeMs = 15 * 60_000;
const sessionLifeMs = 7 * 24 * 3_600_000;
const mostCodes = 100;
/** 132 bits: more than can be guessed, and a link fits a line of 80 columns. */
const codeLength = 22;

interface AccessOptions {
  /** Sessions are signed with it, so they outlive a restart and end when it changes. */
  controlToken: string;
  /** Names beside loopback's that the gateway is reached by: the host of its public address. */
  publicHost?: string;
  /** Where sessions that were signed out of are kept, so that a restart brings none back; in memory without one. */
  dataFolder?: string;
}

type Headers = Pick<IncomingMessage, 'headers' | 'method'>;

/**
 * Who may use the control API from a browser: who exchanged a code of one use for a cookie, on the console's own page.
 * The time is the machine's: a virtual clock that stands still must not keep a door open.
 */
export class ConsoleAccess {
  #clock: Clock;
  #options: AccessOptions;
  /** Each with when it ends, on the monotonic clock. */
  #codes = new Map<string, number>();
  #codesMade = 0;
  readonly #signedOut: SignedOut;

  constructor(realClock: Clock, options: AccessOptions) {
    this.#clock = realClock;
    this.#options = options;
    this.#signedOut = new SignedOut(options.dataFolder, realClock.now());
  }

  /** A code that signs in once, within its time. */
  makeCode(): { code: string; lifeMs: number } {
    const now = this.#clock.monotonic();
    for (const [code, endsAt] of this.#codes) if (endsAt <= now) this.#codes.delete(code);
    const [oldest] = this.#codes.keys();
    if (oldest !== undefined && this.#codes.size >= mostCodes) this.#codes.delete(oldest);
    const code = this.#derive(`code ${++this.#codesMade} ${now} ${this.#clock.now()}`).slice(0, codeLength);
    this.#codes.set(code, now + codeLifeMs);
    return { code, lifeMs: codeLifeMs };
  }

  /** Uses a code up. The session it gives is new, whatever the browser had before; undefined where the code is none. */
  signIn(code: string): string | undefined {
    const endsAt = this.#codes.get(code);
    this.#codes.delete(code);
    if (endsAt === undefined || endsAt <= this.#clock.monotonic()) return undefined;
    const until = this.#clock.now() + sessionLifeMs;
    const session = `${this.#derive(`session of ${code}`)}.${until}`;
    return `${session}.${this.#signatureOf(session)}`;
  }

  /** Ends every session of a request: a browser that came by several ports has several. */
  signOut(request: Headers): void {
    for (const session of this.#sessionsOf(request)) this.#signedOut.add(session);
  }

  /** Whether a request comes from the console's own page, in a browser that signed in. */
  admits(request: Headers): boolean {
    return this.isOwnPage(request) && this.#sessionsOf(request).length > 0;
  }

  /**
   * Whether a page of this very gateway sent the request. A page elsewhere, also on another port of this machine, says
   * so itself (Sec-Fetch-Site, Origin); one whose own name was made to point here has that name as its Host.
   */
  isOwnPage({ headers, method }: Headers): boolean {
    const { host = '', origin } = headers;
    if (headers['sec-fetch-site'] !== 'same-origin' || !this.#isOwnHost(host)) return false;
    const isSafe = method === 'GET' || method === 'HEAD';
    return origin === undefined ? isSafe : URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host;
  }

  /** The port is any: a tunnel has one of its own. */
  #isOwnHost(host: string): boolean {
    const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);
    return isLoopback || host === this.#options.publicHost;
  }

  /** The cookie's name has the port, as browsers keep the cookies of all ports of a machine together. */
  setCookie(session: string, { headers }: Headers, port: string): string {
    const secure = headers.origin?.startsWith('https:') ? '; Secure' : '';
    return `${cookieName}${port}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionLifeMs / 1000}${secure}`;
  }

  clearCookie(port: string): string {
    return `${cookieName}${port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** What identifies the sessions of a request that hold. Another gateway's cookie may come along. */
  #sessionsOf({ headers }: Headers): string[] {
    const given = (headers.cookie ?? '').matchAll(cookie);
    return [...given].flatMap(([, id = '', until = '', signature = '']) => {
      const session = `${id}.${until}`;
      const holds = sameSecret(signature, this.#signatureOf(session)) && Number(until) > this.#clock.now();
      return holds && !this.#signedOut.has(session) ? [session] : [];
    });
  }

  #signatureOf(session: string): string {
    return this.#derive(`signature of ${session}`);
  }

  /** A secret that only the control token yields, without drawing from the seeded random source. */
  #derive(what: string): string {
    return createHmac('sha256', this.#options.controlToken).update(`console ${what}`).digest('base64url');
  }
}

const cookieName = 'pinpad_console_';
const cookie = new RegExp(
  `(?:^|;\\s*)${cookieName}\\d+=([\\w-]{43})\\.(\\d{13,15})\\.([\\w-]{43})(?=;|$)`,
  'g',
);
