import { expect, test } from 'vitest';
import { canShowTui, readWindowTraits } from './window-traits.ts';

test.each([
  [
    { TERM: 'tmux-256color', LANG: 'en_US.UTF-8' },
    { terminfo: 'xterm-256color', colour: true, unicode: true },
  ],
  [
    { TERM: 'xterm', LANG: 'C' },
    { terminfo: 'xterm-256color', colour: true, unicode: false },
  ],
  [
    { TERM: 'xterm', NO_COLOR: '1', LANG: 'C.UTF-8' },
    { terminfo: 'xterm-256color', colour: false, unicode: true },
  ],
  [
    { TERM: 'xterm', NO_COLOR: '', LANG: 'C.UTF-8' },
    { terminfo: 'xterm-256color', colour: true, unicode: true },
  ],
  [{ TERM: 'linux' }, { terminfo: 'linux', colour: true, unicode: false }],
  [
    { TERM: 'vt220', LC_ALL: 'de_AT.UTF-8' },
    { terminfo: 'xterm', colour: false, unicode: true },
  ],
  [{ TERM: 'xterm-ghostty' }, { terminfo: 'xterm-256color', colour: true, unicode: true }],
  [
    { TERM: 'screen', TMUX: '/tmp/tmux' },
    { terminfo: 'xterm-256color', colour: true, unicode: false },
  ],
  [
    { TERM: 'xterm', LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' },
    { terminfo: 'xterm-256color', colour: true, unicode: false },
  ],
])('the traits of a terminal are recognised: %j', (env, traits) => {
  expect(readWindowTraits(env, 'linux')).toEqual(traits);
});

test('the text UI needs a keyboard, a window and a terminal that can move its cursor', () => {
  const tty = { isTTY: true };
  expect(canShowTui(tty, tty, { TERM: 'xterm' })).toBe(true);
  expect(canShowTui(tty, tty, { TERM: 'dumb' })).toBe(false);
  expect(canShowTui(tty, {}, { TERM: 'xterm' })).toBe(false);
  expect(canShowTui({}, tty, { TERM: 'xterm' })).toBe(false);
});
