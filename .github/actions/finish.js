// Stops the pinpad that start.js started. Before that, writes the trace and the findings into a folder from which a
// failed job makes its artifact, and adds the mistakes of the point of sale to the job's summary.

import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const {
  GITHUB_ENV,
  GITHUB_OUTPUT,
  GITHUB_STEP_SUMMARY,
  PINPAD_PID,
  PINPAD_FOLDER,
  LINT = 'warning',
} = process.env;
const drainsWithinMs = 30_000;

if (!PINPAD_FOLDER) {
  console.log('There is nothing to stop: no pinpad was started, or an earlier step has stopped it.');
  process.exit(0);
}
const folder = join(PINPAD_FOLDER, 'artifact');
mkdirSync(folder, { recursive: true });
appendFileSync(GITHUB_OUTPUT, `folder=${folder}\n`);
const trace = pinpad('trace', '--output', join(folder, 'trace.html'));
if (trace.status !== 0)
  console.log(`::warning title=pinpad::The trace could not be written: ${oneLine(trace.stderr)}`);
const passed = LINT === 'off' || report(pinpad('lint'));
await stop(Number(PINPAD_PID));
const log = join(PINPAD_FOLDER, 'pinpad.log');
if (existsSync(log)) copyFileSync(log, join(folder, 'pinpad.log'));
// An empty variable counts as not set. So the job may start another pinpad, and a second run of this script finds
// nothing to stop.
for (const name of ['URL', 'TOKEN', 'CONTROL_TOKEN', 'TERMINAL', 'POI_ID', 'PID', 'FOLDER'])
  appendFileSync(GITHUB_ENV, `PINPAD_${name}=\n`);
process.exitCode = !passed && LINT === 'error' ? 1 : 0;

/**
 * Runs a command of pinpad for this job's gateway. The command finds the gateway through the variables PINPAD_URL and
 * PINPAD_CONTROL_TOKEN.
 */
function pinpad(...args) {
  const path = fileURLToPath(new URL('../../bin/pinpad.js', import.meta.url));
  return spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
}

/**
 * Writes the findings into a file and into the job's summary. Returns true only if the check succeeded and there are no
 * findings.
 */
function report({ status, stdout, stderr }) {
  if (status === 0) return true;
  const level = LINT === 'error' ? 'error' : 'warning';
  if (status !== 1) {
    console.log(
      `::${level} title=pinpad::The requests of the point of sale could not be checked: ${oneLine(stderr)}`,
    );
    return false;
  }
  writeFileSync(join(folder, 'findings.txt'), stdout);
  const text = `### Mistakes of the point of sale\n\n${indented(stdout)}\n`;
  if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, text);
  console.log(`::${level} title=Mistakes of the point of sale::${escaped(stdout.trim())}`);
  return false;
}

/**
 * Indents each line by four spaces, which make a code block in Markdown. No text inside such a block can end the block.
 */
function indented(text) {
  return text.replace(/^/gm, '    ');
}

/** Escapes a message of several lines in the way that GitHub's workflow commands require. */
function escaped(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function oneLine(text) {
  return escaped(text.trim().split('\n').at(-1) ?? '');
}

/**
 * Sends SIGTERM, so that the process answers its open requests before it ends. Kills the process if it has not ended
 * after `drainsWithinMs`. The wait is limited, because in a container an ended process may still look alive if no
 * parent process collects it.
 */
async function stop(pid) {
  const until = Date.now() + drainsWithinMs;
  if (!sent(pid, 'SIGTERM')) return;
  while (sent(pid, 0) && Date.now() < until) await wait(100);
  sent(pid, 'SIGKILL');
}

/** Sends a signal. Returns false if the signal could not be sent, for example because the process no longer exists. */
function sent(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
