/** The characters of a frame: top left, across, top right, down, bottom left, bottom right. */
type FrameLines = readonly [string, string, string, string, string, string];

/**
 * The signs on the screen. Signs show everything that colours show, so the screen can also be read in black and white.
 * There are no emoji, because terminal windows disagree about the width of emoji.
 */
export const unicodeMarks = {
  /** Whether the window can show more than ASCII. */
  unicode: true,
  round: ['╭', '─', '╮', '│', '╰', '╯'] as FrameLines,
  square: ['┌', '─', '┐', '│', '└', '┘'] as FrameLines,
  across: '─',
  slot: '━',
  lampOn: '●',
  lampOff: '○',
  selected: '▸',
  inSlot: '■',
  blocked: '✗',
  ok: '✓',
  fail: '✗',
  ask: '●',
  /** The sign for something that is wrong. It is not a cross, because a cross stands for a failed sale. */
  warn: '⚠',
  toLeft: '◂',
  toRight: '▸',
  waves: ')))',
  ellipsis: '…',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  caret: '▏',
  masked: '•',
  dot: '·',
  tear: '╌',
};
export type Marks = Readonly<typeof unicodeMarks>;

/** The signs for a locale that is not UTF-8. */
export const asciiMarks: Marks = {
  unicode: false,
  round: ['+', '-', '+', '|', '+', '+'],
  square: ['+', '-', '+', '|', '+', '+'],
  across: '-',
  slot: '=',
  lampOn: '*',
  lampOff: 'o',
  selected: '>',
  inSlot: '#',
  blocked: 'X',
  ok: 'OK',
  fail: '!!',
  ask: '>>',
  warn: '!',
  toLeft: '<',
  toRight: '>',
  waves: ')))',
  ellipsis: '~',
  up: 'Up',
  down: 'Dn',
  left: '<',
  right: '>',
  caret: '_',
  masked: '*',
  dot: '-',
  tear: '-',
};
