import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventDescriptions } from '../gateway/index.ts';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';
import { bash } from './run-bash.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', 'docs', name), 'utf8');

testWith('bash', 'curl').each(['payment-links.md', 'webhooks.md'])(
  'every line of docs/%s does what the page says, in its order',
  async (name) => {
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, logLevel: 'silent' }),
      { terminals: false },
    );
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
    try {
      const blocks = [...read(name).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
      expect(blocks.length).toBeGreaterThan(4);
      const env = { URL: stack.url, CONTROL_TOKEN: stack.controlToken, TOKEN: stack.tokens[0]?.token ?? '' };
      const { code, output } = await bash(blocks.join('\n'), env, folder);
      expect(code, output).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
      await stack.close();
    }
  },
);

testWith('python3')('docs/webhooks.md says what is signed, for one without a library', async () => {
  const [, python = ''] = /```python\n([\s\S]*?)```/.exec(read('webhooks.md')) ?? [];
  const secret = `whsec_${Buffer.from('a key of at least 24 bytes').toString('base64')}`;
  const body = '{"type":"payments.debits.paid","data":{"note":"für Zoë"}}';
  const sentAt = new Date();
  const headers = {
    'webhook-id': 'e1',
    'webhook-timestamp': `${Math.floor(sentAt.getTime() / 1000)}`,
    'webhook-signature': `v1,bm9uZQ== ${new Webhook(secret).sign('e1', sentAt, body)}`,
  };
  const asked = [
    [headers, body],
    [headers, `${body} `],
    [{ ...headers, 'webhook-timestamp': '1767258300' }, body],
    [{ ...headers, 'webhook-signature': 'v1,bm9uZQ==' }, body],
  ];
  const ask = `import json, os\nfor h, b in json.loads(os.environ["ASKED"]): print(is_signed(os.environ["SECRET"], h, b.encode()))`;
  const env = { PROGRAM: `${python}\n${ask}`, ASKED: JSON.stringify(asked), SECRET: secret };
  const { code, output } = await bash('python3 -c "$PROGRAM"', env, tmpdir());
  expect(code, output).toBe(0);
  expect(output).toMatch(/True\nFalse\nFalse\nFalse\n$/);
});

test('docs/webhooks.md lists every event with its description', () => {
  const listed = [...read('webhooks.md').matchAll(/^\| `(payments\.[a-z.]+)` \| (.*) \|$/gm)].map(
    ([, type, text]) => [type, text],
  );
  expect(Object.fromEntries(listed)).toEqual(eventDescriptions);
});
