import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Runs lines of code in a separate process, because the lines may end the process in which they run. Returns the output
 * and the exit code of that process.
 */
function run(lines: string): { printed: string; code: number | null } {
  const module = pathToFileURL(join(import.meta.dirname, 'listen-for-stop.ts')).href;
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      ...['--input-type=module', '-e'],
      `import { handleStopSignals } from '${module}';
       const { stop } = handleStopSignals();
       let now = 1000;
       performance.now = () => now;
       const signal = (name) => process.emit(name, name);
       ${lines}
       console.log('drains');
       process.exit(0);`,
    ],
    { encoding: 'utf8', timeout: 20_000 },
  );
  return { printed: stdout, code: status };
}

test.each([
  "signal('SIGHUP'); stop(); signal('SIGHUP')",
  "stop(); signal('SIGHUP')",
  "signal('SIGTERM'); stop()",
])('a closed window stops the program once, in whatever order the signals come: %s', (lines) => {
  expect(run(lines)).toEqual({ printed: 'drains\n', code: 0 });
});

test.each(['SIGINT', 'SIGTERM'])('a second %s that comes later ends the process at once', (name) => {
  expect(run(`signal('${name}'); now += 300; signal('${name}')`)).toEqual({ printed: '', code: 130 });
});

test.each(["signal('SIGTERM'); signal('SIGTERM')", "signal('SIGINT'); now += 299; signal('SIGTERM')"])(
  'a signal that comes twice, from npm and through the group, stops the program once: %s',
  (lines) => {
    expect(run(lines)).toEqual({ printed: 'drains\n', code: 0 });
  },
);
