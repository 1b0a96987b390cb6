import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/** How `pinpad explore` notices that a point of sale does not send the same requests in every run. */

const test = testWith('python3');

/** Asks over two connections in turn. The first run begins with one connection, and every later run with the other. */
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
  const command = [pythonPath(), '-B', program, join(folder, 'ran'), how];
  const traces = ['--traces', join(folder, 'traces')];
  return runPinpadInProcess(['explore', '--only', 'dropRequest@abort.1', ...traces, '--', ...command]);
}

describe('a point of sale with two connections (B330)', () => {
  test('behaves the same, whichever connection is faster', async () => {
    const { code, stdout } = await askingTwice('same');
    expect(stdout).toContain('✓ 1 survived');
    expect(code).toBe(0);
  });

  test('behaves differently if one connection asks in another order', async () => {
    const { code, stdout } = await askingTwice('turned');
    expect(stdout).toContain('Two runs of the command differ: request 1 of a connection was');
    expect(code).toBe(3);
  });
});

describe('two explorations with one seed (B334)', () => {
  testThoroughly('python3')('give the same reports, except for durations', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-same-seed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const page = readFileSync(join(import.meta.dirname, '../../docs/explore.md'), 'utf8');
    const program = join(folder, 'till.py');
    writeFileSync(program, /^```python\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '');
    const points = ['failAnswer-503@payment-request.1', 'silent@host.1'];
    const only = points.flatMap((point) => ['--only', point]);
    const reports = ['json', 'html'].flatMap((form) => [`--${form}`, join(folder, `report.${form}`)]);
    const options = [
      ...only,
      ...reports,
      '--shopper',
      'visa-credit',
      '--seed',
      '7',
      '--traces',
      join(folder, 'traces'),
    ];
    const exploring = async () => {
      const { stdout } = await runPinpadInProcess(['explore', ...options, '--', pythonPath(), '-B', program]);
      const { timing, ...report } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
      expect(timing.runs).toHaveLength(points.length);
      const text = stdout.replace(/without faults, the run took [\d.]+ s/, 'without faults');
      return { report, text, page: readFileSync(join(folder, 'report.html'), 'utf8') };
    };
    const first = await exploring();
    expect(first.report.failures.length).toBeGreaterThan(0);
    expect(await exploring()).toEqual(first);
  });
});
