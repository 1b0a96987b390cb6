import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { stackHarness } from '../stack/stack-harness.ts';
import { openPage } from '../trace/browser.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

/** A server on another port of this machine, such as another project's page. */
async function foreignPage(html: string): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

test('a browser is sent to the console, and any other client is asked for a token (B160)', async () => {
  const { stack } = await stackHarness();
  const asked = (accept: string) => fetch(stack.url, { headers: { accept }, redirect: 'manual' });
  const browser = await asked('text/html,application/xhtml+xml,*/*;q=0.8');
  expect([browser.status, browser.headers.get('location')]).toEqual([303, '/console']);
  expect((await asked('application/json')).status).toBe(401);
  const page = await fetch(`${stack.url}/console`);
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  expect(await page.text()).not.toContain(stack.controlToken);
});

test('a gateway in a container whose port is published on this machine only has a console (B160)', async () => {
  const published = await stackHarness({ host: '0.0.0.0', publicUrl: 'http://localhost:8080' });
  expect(published.stack.gateway.consoleLink()).toMatch(/^http:\/\/localhost:8080\/console#sign-in=/);
  const elsewhere = await stackHarness({ host: '0.0.0.0', publicUrl: 'http://localhost.example' });
  expect(elsewhere.stack.gateway.consoleLink()).toBeUndefined();
  const plain = { host: '0.0.0.0', console: true, publicUrl: 'http://pinpad.example' };
  await expect(stackHarness(plain)).rejects.toThrow('needs https');
});

test('a console can be switched off, and needs https at an address that others reach (B160)', async () => {
  const { stack } = await stackHarness({ console: false });
  expect(stack.gateway.consoleLink()).toBeUndefined();
  const root = await fetch(stack.url, { headers: { accept: 'text/html' } });
  expect(root.status).toBe(401);
  expect((await fetch(`${stack.url}/console`)).status).toBe(404);
  const open = await stackHarness({ host: '0.0.0.0' });
  expect(open.stack.gateway.consoleLink()).toBeUndefined();
  await expect(stackHarness({ host: '0.0.0.0', console: true })).rejects.toThrow('needs https');
  const behindProxy = await stackHarness({
    host: '0.0.0.0',
    console: true,
    publicUrl: 'https://pinpad.example',
  });
  expect(behindProxy.stack.gateway.consoleLink()).toMatch(/^https:\/\/pinpad\.example\/console#sign-in=/);
});

testInChromium('a link signs in once; signing out ends it (B161)', async () => {
  const { page, complaints, harness } = await openConsole();
  expect(page.url()).toBe(`${harness.stack.url}/console`);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  await page.reload();
  await page.getByRole('article').first().waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('not signed in').waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await page.context().addCookies([cookie as NonNullable<typeof cookie>]);
  expect(await page.evaluate<number>("fetch('/control').then(({ status }) => status)")).toBe(401);
  expect(complaints.filter((line) => !line.includes('401'))).toEqual([]);
});

testInChromiumInCi('a link that was used signs nobody in (B161)', async () => {
  const harness = await stackHarness();
  const link = harness.stack.gateway.consoleLink() as string;
  const first = await openPage(link);
  await first.page.getByRole('article').first().waitFor();
  const second = await openPage(link);
  await second.page.getByText('not signed in').waitFor();
});

testInChromiumInCi(
  'a link signs in a page that is open too, where only the fragment changes (B161)',
  async () => {
    const harness = await stackHarness();
    const { page } = await openPage(`${harness.stack.url}/console`);
    await page.getByText('not signed in').waitFor();
    await page.goto(harness.stack.gateway.consoleLink() as string);
    await page.getByRole('article').first().waitFor();
    expect(page.url()).toBe(`${harness.stack.url}/console`);
  },
);

testInChromium(
  'a page of another origin neither reads nor acts, though the browser is signed in (B162)',
  async () => {
    const { page, harness } = await openConsole();
    const gateway = harness.stack.url.replace('127.0.0.1', 'localhost');
    // Copies the console's cookie to the name `localhost`, as if the console had been opened under that name.
    const [cookie] = await page.context().cookies();
    if (!cookie) throw new Error('no cookie');
    await page.context().addCookies([{ ...cookie, domain: 'localhost' }]);
    const power = `${gateway}/control/terminals/${harness.poiId}/power`;
    const url = await foreignPage(`<!doctype html><title>evil</title>
    <form id="form" method="post" enctype="text/plain" action="${power}" target="sink"><input name='{"on":false,"x":"' value='"}'></form>
    <iframe name="sink"></iframe><iframe src="${gateway}/console"></iframe>`);
    const foreign = await page.context().newPage();
    await foreign.goto(url);
    const outcomes = await foreign.evaluate<string[]>(`(async () => {
    const attempt = async (path, options) => {
      try { return 'read ' + (await (await fetch('${gateway}' + path, { credentials: 'include', ...options })).text()).length; }
      catch (error) { return 'refused'; }
    };
    const results = [await attempt('/control/journal'), await attempt('/control/console/live')];
    await fetch('${power}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"on":false}' }).catch(() => {});
    await fetch('${gateway}/console/sign-in', { method: 'POST', mode: 'no-cors', body: '{"code":"x"}' }).catch(() => {});
    document.getElementById('form').submit();
    return results;
  })()`);
    expect(outcomes).toEqual(['refused', 'refused']);
    await foreign.frame('sink')?.waitForLoadState();
    const { body } = await harness.control<{ lamps: { power: boolean } }>(
      'GET',
      `/terminals/${harness.poiId}/screen`,
    );
    expect(body.lamps.power).toBe(true);
    const framed = foreign.frames().find((frame) => frame.url().startsWith('chrome-error:'));
    expect(framed, 'the console must not be framed').toBeDefined();
    await foreign.close();
  },
);

testInChromiumInCi('a name that was made to point here gets nothing with the cookie (B162)', async () => {
  const { page, harness } = await openConsole();
  const [cookie] = await page.context().cookies();
  const { hostname, port } = new URL(harness.stack.url);
  const statusWith = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host,
        cookie: `${cookie?.name}=${cookie?.value}`,
        'sec-fetch-site': 'same-origin',
      };
      request({ hostname, port, path: '/control', headers, agent: false }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end();
    });
  expect(await statusWith(`127.0.0.1:${port}`)).toBe(200);
  expect(await statusWith(`rebound.example:${port}`)).toBe(401);
});
