/** Corners and sides of a frame: top left, across, top right, down, bottom left, bottom right. */
type FrameLines = readonly [string, string, string, string, string, string];

/**
 * The signs of the screen. Each thing that colour shows is also shown by a sign, so that the screen can be read in
 * black and white. There are no emoji, because terminals disagree about their width.
 */
export const unicodeMarks = {
  /** Whether more than ASCII can be shown. */
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
  /** The sign that something is wrong. A cross would mean that the sale failed. */
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

/** The signs for locales that are not UTF-8. */
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
