import { describe, expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { openTestStore } from '../../test/test-store.ts';
import { loneGatewayCopyUpdater } from '../engine/memory-copies.ts';
import { ConsoleAuthenticator } from './access.ts';
import { InvalidatedCredentialStore } from './invalidated-credentials.ts';

const controlToken = 'control_one';
const minutes = 60_000;

async function setup(changes: { publicHost?: string } = {}) {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const store = await openTestStore();
  onTestFinished(() => store.close());
  const another = async (more: { controlToken?: string } = {}) => {
    const ended = await InvalidatedCredentialStore.open(store, clock.now(), loneGatewayCopyUpdater);
    return new ConsoleAuthenticator({ clock, controlToken, ended, ...changes, ...more });
  };
  const access = await another();
  const enter = async () => (await access.signIn(access.makeCode().code)) as string;
  /** Makes a request with the headers that the console's own page sends. */
  const own = (cookie: string, more: Record<string, string> = {}, method = 'GET') => ({
    method,
    headers: { host: '127.0.0.1:8080', 'sec-fetch-site': 'same-origin', cookie, ...more },
  });
  const cookieOf = (session: string, port = '8080') => `pinpad_console_${port}=${session}`;
  return { clock, access, another, enter, own, cookieOf };
}

describe('a sign-in code (B161)', () => {
  test('signs in once', async () => {
    const { access } = await setup();
    const { code } = access.makeCode();
    expect(await access.signIn(code)).toBeDefined();
    expect(await access.signIn(code)).toBeUndefined();
  });

  test('signs in once in total at all gateways of the token, also after a restart', async () => {
    const { access, another } = await setup();
    const [one, other] = [access.makeCode().code, access.makeCode().code];
    expect(await (await another()).signIn(one)).toBeDefined();
    expect(await access.signIn(one)).toBeUndefined();
    expect(await (await another({ controlToken: 'control_two' })).signIn(other)).toBeUndefined();
    expect(await access.signIn(other)).toBeDefined();
  });

  test('is valid for a quarter of an hour', async () => {
    const { access, clock } = await setup();
    const [early, late] = [access.makeCode().code, access.makeCode().code];
    await clock.advance(15 * minutes - 1);
    expect(await access.signIn(early)).toBeDefined();
    await clock.advance(1);
    expect(await access.signIn(late)).toBeUndefined();
    await clock.advance((36 ** 2 - 15 * 60) * 1000);
    expect(await access.signIn(late)).toBeUndefined();
  });

  test('is different each time, even at the same moment', async () => {
    const { access } = await setup();
    expect(access.makeCode().code).not.toBe(access.makeCode().code);
  });

  test('cannot be guessed', async () => {
    const { access } = await setup();
    expect(await access.signIn('')).toBeUndefined();
    expect(await access.signIn('undefined')).toBeUndefined();
  });
});

describe('a session (B161)', () => {
  test('survives a restart of the gateway, and ends if the control token changes', async () => {
    const { access, another, enter, own, cookieOf } = await setup();
    const request = own(cookieOf(await enter()));
    expect(access.admits(request)).toBe(true);
    expect((await another()).admits(request)).toBe(true);
    expect((await another({ controlToken: 'control_two' })).admits(request)).toBe(false);
  });

  test('stays ended over a restart after it was signed out, and so do the sessions of other ports', async () => {
    const { access, another, enter, own, cookieOf } = await setup();
    const [one, other] = [cookieOf(await enter(), '8080'), cookieOf(await enter(), '8081')];
    await access.signOut(own(`${one}; ${other}`));
    const restarted = await another();
    for (const each of [access, restarted])
      for (const cookie of [one, other]) expect(each.admits(own(cookie))).toBe(false);
    expect(restarted.admits(own(cookieOf(await enter())))).toBe(true);
  });

  test('is accepted at any loopback address, and at no name that was made to point there', async () => {
    const { access, enter, own, cookieOf } = await setup();
    const cookie = cookieOf(await enter());
    expect(access.admits(own(cookie, { host: '127.0.0.2:8080' }))).toBe(true);
    expect(access.admits(own(cookie, { host: '127.0.0.2.example.com' }))).toBe(false);
  });

  test('ends after a week, and when its browser signs out', async () => {
    const { clock, access, enter, own, cookieOf } = await setup();
    const [one, other] = [own(cookieOf(await enter())), own(cookieOf(await enter()))];
    await access.signOut(one);
    expect([access.admits(one), access.admits(other)]).toEqual([false, true]);
    await clock.advance(7 * 24 * 60 * minutes);
    expect(access.admits(other)).toBe(false);
  });

  test('cannot be extended or forged', async () => {
    const { access, enter, own, cookieOf } = await setup();
    const [id, until, signature] = (await enter()).split('.');
    expect(access.admits(own(cookieOf(`${id}.${Number(until) + 1}.${signature}`)))).toBe(false);
    expect(access.admits(own(cookieOf(`${id}.${until}.${'A'.repeat(43)}`)))).toBe(false);
    expect(access.admits(own(''))).toBe(false);
  });

  test('is found among the cookies of other gateways on this machine', async () => {
    const { access, another, enter, own, cookieOf } = await setup();
    const foreign = await another({ controlToken: 'control_other' });
    const other = (await foreign.signIn(foreign.makeCode().code)) as string;
    expect(access.admits(own(`a=b; ${cookieOf(other, '9090')}; ${cookieOf(await enter())}`))).toBe(true);
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
    ['from a page without an origin to a name that is none', { origin: 'null', host: '127.0.0.999' }],
    ['from a page without an origin to a port that is none', { origin: 'null', host: 'localhost:99999' }],
  ])('is refused %s', async (_, more) => {
    const { access, enter, own, cookieOf } = await setup();
    expect(access.admits(own(cookieOf(await enter()), { origin, ...more }, 'POST'))).toBe(false);
  });

  test.each(['localhost:8080', '[::1]:8080', '127.0.0.1:9000'])('is admitted at %s', async (host) => {
    const { access, enter, own, cookieOf } = await setup();
    expect(access.admits(own(cookieOf(await enter()), { host, origin: `http://${host}` }, 'POST'))).toBe(
      true,
    );
  });

  test('must name its origin if it changes something', async () => {
    const { access, enter, own, cookieOf } = await setup();
    const cookie = cookieOf(await enter());
    expect(access.admits(own(cookie, {}, 'POST'))).toBe(false);
    expect(access.admits(own(cookie))).toBe(true);
  });

  test('is admitted at the public address if there is one', async () => {
    const { access, enter, own, cookieOf } = await setup({ publicHost: 'pinpad.example' });
    const at = { host: 'pinpad.example', origin: 'https://pinpad.example' };
    expect(access.admits(own(cookieOf(await enter()), at, 'POST'))).toBe(true);
    expect(access.setCookie('s', own('', at), '8080')).toContain('; Secure');
  });
});
