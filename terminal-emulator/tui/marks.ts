/** Corners and sides of a frame: top left, across, top right, down, bottom left, bottom right. */
type FrameLines = readonly [string, string, string, string, string, string];

/**
 * The signs of the screen. Each thing that colour shows is also shown by a sign, so that the screen can be read in
 * black and white. There are no emoji, because terminals disagree about their width.
 */
export interface Marks {
  /** Whether more than ASCII can be shown. */
  readonly unicode: boolean;
  readonly round: FrameLines;
  readonly square: FrameLines;
  readonly across: string;
  readonly slot: string;
  readonly lampOn: string;
  readonly lampOff: string;
  readonly selected: string;
  readonly inSlot: string;
  readonly blocked: string;
  readonly ok: string;
  readonly fail: string;
  readonly ask: string;
  /** Something is wrong. A cross would say that it failed. */
  readonly warn: string;
  readonly toLeft: string;
  readonly toRight: string;
  readonly waves: string;
  readonly ellipsis: string;
  readonly up: string;
  readonly down: string;
  readonly left: string;
  readonly right: string;
  readonly caret: string;
  readonly masked: string;
  readonly dot: string;
  readonly tear: string;
}

export const unicodeMarks: Marks = {
  unicode: true,
  round: ['╭', '─', '╮', '│', '╰', '╯'],
  square: ['┌', '─', '┐', '│', '└', '┘'],
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

/** For locales that are not UTF-8. */
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
