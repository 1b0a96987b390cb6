// Starts pinpad for the present job, and sets variables through which the job's next steps find it. This file is plain
// JavaScript, so that it runs on any Node that the machine has.

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
  fail(
    'pinpad is already running: an earlier step of this job started it, and .github/actions/finish ends it',
  );
// Each pinpad gets a folder of its own, so that it does not see requests that were sent to an earlier pinpad of the
// job.
const folder = mkdtempSync(join(RUNNER_TEMP, 'pinpad-'));
const ready = join(folder, 'ready.json');
const log = join(folder, 'pinpad.log');
const pinpad = fileURLToPath(new URL('../../bin/pinpad.js', import.meta.url));
// Pinpad itself only warns about mistakes, even if LINT is `error`. In that case, finish.js reports the mistakes as an
// error after the tests.
const lint = ['--lint', LINT === 'off' ? 'off' : 'warning'];
const data = join(folder, 'data');
const options = ['--headless', '--json', '--port', '0', '--data', data, ...lint, ...words(OPTIONS)];
const running = spawn(process.execPath, [pinpad, 'up', ...options], {
  cwd: GITHUB_WORKSPACE,
  detached: true, // pinpad continues to run after this step
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

/**
 * Resolves to the line that pinpad prints when it is ready. If there is no such line, this step prints pinpad's log and
 * fails.
 */
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

/** Splits a text of one or more lines into words, as a shell does: text in quotes stays in one word. */
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
