import { expect, test } from 'vitest';
import { ApiError, createControlClient } from './index.ts';

/** Makes a call that is refused with this body. Returns the error. */
async function errorOf(body: string): Promise<unknown> {
  const client = createControlClient({
    url: 'http://127.0.0.1:8080',
    token: 'control_test',
    fetch: async () => new Response(body, { status: 502 }),
  });
  return client.GET('/control/books').catch((error: unknown) => error);
}

test.each([
  ['null', 'null'],
  ['[]', '[]'],
  ['5', '5'],
  ['{"error":{"code":7},"message":["no"]}', '{"error":{"code":7},"message":["no"]}'],
  ['{"message":"bad gateway","details":"no route"}', 'bad gateway'],
  ['{"message":"bad gateway","details":[null,7,{"path":"url"}]}', 'bad gateway'],
])('a refusal that is not in the form of the gateway is an ApiError, too: %s', async (body, said) => {
  const error = await errorOf(body);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 502,
    code: undefined,
    message: `GET /control/books answered 502: ${said}`,
  });
});
