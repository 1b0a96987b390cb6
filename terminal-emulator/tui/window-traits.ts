/** The abilities of the terminal window, read from the environment variables. */
export interface WindowTraits {
  /** The terminfo description that is used for drawing the screen. */
  readonly terminfo: 'xterm-256color' | 'xterm' | 'linux' | 'windows-ansi';
  readonly colour: boolean;
  readonly unicode: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the text UI can be shown at all. It needs a keyboard, and a terminal that can move its cursor. */
export function canShowTui(
  input: { isTTY?: boolean },
  output: { isTTY?: boolean },
  env: Environment,
): boolean {
  return input.isTTY === true && output.isTTY === true && env.TERM !== 'dumb' && env.TERM !== '';
}

/**
 * Reads the environment. Instead of the terminfo description that TERM names, one of blessed's own descriptions is
 * used. The reason is that modern systems describe even xterm-256color in a format that blessed reads as 8 colours.
 */
export function readWindowTraits(env: Environment, platform: NodeJS.Platform): WindowTraits {
  const term = env.TERM ?? '';
  return {
    terminfo: terminfoFor(term, platform),
    colour: !env.NO_COLOR && !/^(vt\d|dumb|ansi-m)|-mono$|-m$/.test(term),
    unicode: speaksUnicode(env, term, platform),
  };
}

function terminfoFor(term: string, platform: NodeJS.Platform): WindowTraits['terminfo'] {
  if (platform === 'win32' && !term) return 'windows-ansi';
  if (term === 'linux') return 'linux';
  return /^(vt\d|ansi|cygwin|dumb)/.test(term) ? 'xterm' : 'xterm-256color';
}

/**
 * Whether the locale is UTF-8. As POSIX says, the locale is the value of LC_ALL, LC_CTYPE or LANG. If several of them
 * are set, the first in this order counts. If none of them is set, a window on a desktop counts as UTF-8.
 */
function speaksUnicode(env: Environment, term: string, platform: NodeJS.Platform): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (locale) return /utf-?8/i.test(locale);
  return platform === 'win32' || (term !== 'linux' && !/^vt\d/.test(term) && env.TMUX === undefined);
}
