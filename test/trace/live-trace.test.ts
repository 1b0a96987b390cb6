import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startLiveTrace } from '../../scenarios/index.ts';
import { systemRandom } from '../../shared/random.ts';
import { stackHarness } from '../stack/stack-harness.ts';

/** The status of a request for a target that `fetch` would not send. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

test('a target that is no address ends neither the gateway nor the live trace, asked of either', async () => {
  const harness = await stackHarness();
  const live = await startLiveTrace(
    { url: harness.stack.url, controlToken: harness.stack.controlToken },
    systemRandom,
  );
  harness.beforeClose(() => void live.close());
  expect(await statusOf(harness.stack.url, '//x:99999999/')).toBe(401);
  expect(await statusOf(live.url, '//x:99999999/')).toBe(404);
  const page = await fetch(live.url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('//x:99999999/');
});
