import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { ConsoleAccess } from './access.ts';

const controlToken = 'control_one';
const minutes = 60_000;

function setup(changes: { publicHost?: string; dataFolder?: string } = {}) {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const access = new ConsoleAccess(clock, { controlToken, ...changes });
  const enter = () => access.signIn(access.makeCode().code) as string;
  /** A request as the console's own page sends it. */
  const own = (cookie: string, more: Record<string, string> = {}, method = 'GET') => ({
    method,
    headers: { host: '127.0.0.1:8080', 'sec-fetch-site': 'same-origin', cookie, ...more },
  });
  const cookieOf = (session: string, port = '8080') => `pinpad_console_${port}=${session}`;
  return { clock, access, enter, own, cookieOf };
}

describe('a code (B161)', () => {
  test('signs in once', () => {
    const { access } = setup();
    const { code } = access.makeCode();
    expect(access.signIn(code)).toBeDefined();
    expect(access.signIn(code)).toBeUndefined();
  });

  test('is good for a quarter of an hour', async () => {
    const { access, clock } = setup();
    const [early, late] = [access.makeCode().code, access.makeCode().code];
    await clock.advance(15 * minutes - 1);
    expect(access.signIn(early)).toBeDefined();
    await clock.advance(1);
    expect(access.signIn(late)).toBeUndefined();
  });

  test('is another one each time, also at the same moment', () => {
    const { access } = setup();
    expect(access.makeCode().code).not.toBe(access.makeCode().code);
  });

  test('is not guessed from nothing', () => {
    const { access } = setup();
    expect(access.signIn('')).toBeUndefined();
    expect(access.signIn('undefined')).toBeUndefined();
  });
});

describe('a session (B161)', () => {
  test('outlives a restart of the gateway, and ends with another control token', () => {
    const { clock, access, enter, own, cookieOf } = setup();
    const request = own(cookieOf(enter()));
    expect(access.admits(request)).toBe(true);
    expect(new ConsoleAccess(clock, { controlToken }).admits(request)).toBe(true);
    expect(new ConsoleAccess(clock, { controlToken: 'control_two' }).admits(request)).toBe(false);
  });

  test('that was signed out of stays ended over a restart, and so do those of other ports', () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'pinpad-console-'));
    try {
      const { clock, access, enter, own, cookieOf } = setup({ dataFolder });
      const [one, other] = [cookieOf(enter(), '8080'), cookieOf(enter(), '8081')];
      access.signOut(own(`${one}; ${other}`));
      const restarted = new ConsoleAccess(clock, { controlToken, dataFolder });
      for (const each of [access, restarted])
        for (const cookie of [one, other]) expect(each.admits(own(cookie))).toBe(false);
      expect(restarted.admits(own(cookieOf(enter())))).toBe(true);
    } finally {
      rmSync(dataFolder, { recursive: true });
    }
  });

  test('is used by any address of loopback, and by no name made to point there', () => {
    const { access, enter, own, cookieOf } = setup();
    const cookie = cookieOf(enter());
    expect(access.admits(own(cookie, { host: '127.0.0.2:8080' }))).toBe(true);
    expect(access.admits(own(cookie, { host: '127.0.0.2.example.com' }))).toBe(false);
  });

  test('ends after a week, and when its browser signs out', async () => {
    const { clock, access, enter, own, cookieOf } = setup();
    const [one, other] = [own(cookieOf(enter())), own(cookieOf(enter()))];
    access.signOut(one);
    expect([access.admits(one), access.admits(other)]).toEqual([false, true]);
    await clock.advance(7 * 24 * 60 * minutes);
    expect(access.admits(other)).toBe(false);
  });

  test('cannot be made longer, nor made up', () => {
    const { access, enter, own, cookieOf } = setup();
    const [id, until, signature] = enter().split('.');
    expect(access.admits(own(cookieOf(`${id}.${Number(until) + 1}.${signature}`)))).toBe(false);
    expect(access.admits(own(cookieOf(`${id}.${until}.${'A'.repeat(43)}`)))).toBe(false);
    expect(access.admits(own(''))).toBe(false);
  });

  test('is found beside the cookies of other gateways on this machine', () => {
    const { access, enter, own, cookieOf } = setup();
    const foreign = new ConsoleAccess(new VirtualClock({ startMs: Date.UTC(2026, 0, 1) }), {
      controlToken: 'control_other',
    });
    const other = foreign.signIn(foreign.makeCode().code) as string;
    expect(access.admits(own(`a=b; ${cookieOf(other, '9090')}; ${cookieOf(enter())}`))).toBe(true);
    expect(access.admits(own(cookieOf(other)))).toBe(false);
  });
});

describe('a request with the cookie (B162)', () => {
  const origin = 'http://127.0.0.1:8080';

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['that was typed into the address bar', { 'sec-fetch-site': 'none' }],
    ['that does not say where it comes from', { 'sec-fetch-site': undefined as unknown as string }],
    ['to a name that was made to point here', { host: 'rebound.example:8080' }],
    ['to a name that only looks like this machine', { host: '127.0.0.1.rebound.example' }],
    ['from an origin that is not the name it was sent to', { origin: 'http://127.0.0.1:3000' }],
    ['from a page without an origin', { origin: 'null' }],
  ])('is refused %s', (_, more) => {
    const { access, enter, own, cookieOf } = setup();
    expect(access.admits(own(cookieOf(enter()), { origin, ...more }, 'POST'))).toBe(false);
  });

  test.each(['localhost:8080', '[::1]:8080', '127.0.0.1:9000'])('is admitted at %s', (host) => {
    const { access, enter, own, cookieOf } = setup();
    expect(access.admits(own(cookieOf(enter()), { host, origin: `http://${host}` }, 'POST'))).toBe(true);
  });

  test('that changes something must name its origin', () => {
    const { access, enter, own, cookieOf } = setup();
    const cookie = cookieOf(enter());
    expect(access.admits(own(cookie, {}, 'POST'))).toBe(false);
    expect(access.admits(own(cookie))).toBe(true);
  });

  test('is admitted at the public address where there is one', () => {
    const { access, enter, own, cookieOf } = setup({ publicHost: 'pinpad.example' });
    const at = { host: 'pinpad.example', origin: 'https://pinpad.example' };
    expect(access.admits(own(cookieOf(enter()), at, 'POST'))).toBe(true);
    expect(access.setCookie('s', own('', at), '8080')).toContain('; Secure');
  });
});
