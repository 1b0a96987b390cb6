import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { pinpadHere } from '../cli/pinpad-here.ts';
import { testWith } from '../optional-programs.ts';

/** Whether a point of sale does the same twice, as `pinpad explore` sees it. */

const test = testWith('python3');

/** Asks over two connections that take turns; the first run begins with the one, every other with the other. */
const twoConnections = `
import http.client, os, sys, urllib.parse
here, turned = sys.argv[1:]
host = urllib.parse.urlsplit(os.environ["PINPAD_URL"]).netloc
status = "/payment-requests/status?idempotencyKey=00000000-0000-4000-8000-00000000000"
paths = {"a": ["/terminals", status + "1"], "b": [status + "2", status + "2"]}
first = not os.path.exists(here)
open(here, "w").close()
if turned == "turned" and first: paths["a"].reverse()
open_ones = {name: http.client.HTTPConnection(host) for name in paths}
for name in "abab" if first else "baba":
    open_ones[name].request("GET", paths[name].pop(0), headers={"Authorization": "Bearer " + os.environ["PINPAD_TOKEN"]})
    open_ones[name].getresponse().read()
`;

async function askingTwice(how: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-same-twice-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'till.py');
  writeFileSync(program, twoConnections);
  const command = ['python3', '-B', program, join(folder, 'ran'), how];
  const traces = ['--traces', join(folder, 'traces')];
  return pinpadHere(['explore', '--only', 'dropRequest@abort.1', ...traces, '--', ...command]);
}

describe('a point of sale with two connections (B330)', () => {
  test('does the same whichever is ahead', async () => {
    const { code, stdout } = await askingTwice('same');
    expect(stdout).toContain('✓ 1 survived');
    expect(code).toBe(0);
  });

  test('does otherwise if one of them asks in another order', async () => {
    const { code, stdout } = await askingTwice('turned');
    expect(stdout).toContain('The command did not do the same twice: request 1 of a connection was');
    expect(code).toBe(3);
  });
});
