// Starts pinpad for the job that runs here, and names it to the steps that follow. Plain JavaScript, for whatever Node
// the machine has.

import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const {
  RUNNER_TEMP,
  GITHUB_ENV,
  GITHUB_OUTPUT,
  GITHUB_WORKSPACE,
  OPTIONS = '',
  LINT = 'warning',
  PINPAD_FOLDER,
  PINPAD_URL,
} = process.env;
const startsWithinMs = 120_000;

if (!['error', 'warning', 'off'].includes(LINT))
  fail(`lint must be "error", "warning" or "off", not "${LINT}"`);
if (PINPAD_FOLDER && (await isRunning(PINPAD_URL)))
  fail('an earlier step of this job started a pinpad that still runs; .github/actions/finish ends it');
// A folder of its own: what an earlier pinpad of the job was sent is not this one's.
const folder = mkdtempSync(join(RUNNER_TEMP, 'pinpad-'));
const ready = join(folder, 'ready.json');
const log = join(folder, 'pinpad.log');
const pinpad = fileURLToPath(new URL('../../bin/pinpad.js', import.meta.url));
// A mistake that is an error is told at the end (finish.js), after the tests.
const lint = ['--lint', LINT === 'off' ? 'off' : 'warning'];
const data = join(folder, 'data');
const options = ['--headless', '--json', '--port', '0', '--data', data, ...lint, ...words(OPTIONS)];
const running = spawn(process.execPath, [pinpad, 'up', ...options], {
  cwd: GITHUB_WORKSPACE,
  detached: true, // it outlives this step
  stdio: ['ignore', openSync(ready, 'w'), openSync(log, 'w')],
});
let ended;
running.once('error', (error) => {
  ended = error.message;
});
running.once('exit', (code, signal) => {
  ended = `pinpad ended with ${signal ?? code}`;
});

const { url, token, controlToken, terminals, pid } = await readyLine();
const [terminal] = terminals;
const variables = {
  PINPAD_URL: url,
  PINPAD_TOKEN: token,
  PINPAD_CONTROL_TOKEN: controlToken,
  PINPAD_TERMINAL: terminal?.identifier,
  PINPAD_POI_ID: terminal?.poiId,
  PINPAD_PID: String(pid),
  PINPAD_FOLDER: folder,
};
for (const secret of [token, controlToken]) console.log(`::add-mask::${secret}`);
for (const [name, value] of Object.entries(variables))
  if (value !== undefined) appendFileSync(GITHUB_ENV, `${name}=${value}\n`);
appendFileSync(GITHUB_OUTPUT, `url=${url}\n`);
console.log(`pinpad is ready at ${url}; the variables ${Object.keys(variables).join(', ')} are set.`);
process.exit(0);

/** The line that pinpad prints when it is ready. Without one this step fails, with what pinpad said. */
async function readyLine() {
  const until = Date.now() + startsWithinMs;
  while (ended === undefined && Date.now() < until) {
    const text = readFileSync(ready, 'utf8');
    if (text.endsWith('\n')) return JSON.parse(text);
    await wait(50);
  }
  if (ended === undefined) running.kill();
  const said = readFileSync(log, 'utf8');
  console.error(said);
  const [reason] = said.split('\n');
  fail(
    [ended ?? `pinpad was not ready within ${startsWithinMs / 1000} s`, reason].filter(Boolean).join(': '),
  );
}

function fail(reason) {
  console.log(`::error title=pinpad did not start::${reason.replaceAll('%', '%25')}`);
  process.exit(1);
}

/** The words of a line or several, as a shell has them: quotes hold one together. */
function words(text) {
  const quoted = /"([^"]*)"|'([^']*)'/g;
  const found = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return found.map((word) => word.replace(quoted, (_, double, single) => double ?? single));
}

async function isRunning(url) {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
