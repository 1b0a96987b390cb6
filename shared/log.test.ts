import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Starts another process that logs. Returns the line on its standard error that contains `text`. */
function logged(text: string): string {
  const log = JSON.stringify(new URL('log.ts', import.meta.url).href);
  const script = `const { createLog } = await import(${log}); createLog('info').info({ text: ${JSON.stringify(text)} }, 'said');`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stderr;
}

test('a line of the log has no control sequences for a terminal window, and as JSON has the original text', () => {
  const said = 'a\u009b2Jb\u001b[31mc\u007fd\u202ee\u2028f\u2066g\u00e9€';
  const line = logged(said);
  expect(line).not.toMatch(/[\x00-\x09\x7f-\x9f\p{Cf}\p{Zl}]/u);
  expect(line).toContain('é€');
  expect(JSON.parse(line)).toMatchObject({ text: said, msg: 'said' });
});
