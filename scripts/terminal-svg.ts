import type { IBufferCell, Terminal } from '@xterm/headless';

const columnWidth = 8.4;
const rowHeight = 17;
const fontSize = 14;
const padding = 14;
const titleBar = 34;
const ink = '#d8dee9';
const ground = '#161a21';

/** Makes an SVG picture of a terminal window, with the text in its colours and a frame with three buttons. */
export function drawTerminalWindowSvg(terminal: Terminal, title: string): string {
  const width = round(terminal.cols * columnWidth + 2 * padding);
  const height = round(terminal.rows * rowHeight + titleBar + padding);
  const rows = Array.from({ length: terminal.rows }, (_, y) => rowSvg(terminal, y)).join('');
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<rect width="${width}" height="${height}" rx="10" fill="${ground}" stroke="#3b4252"/>
${buttons.join('')}
<text x="${width / 2}" y="22" text-anchor="middle" font-family="system-ui,sans-serif" font-size="13" fill="#8b95a5">${escapeXml(title)}</text>
<g transform="translate(${padding} ${titleBar})" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="${fontSize}" style="white-space:pre">
${rows}</g>
</svg>
`;
}

interface Run {
  x: number;
  columns: number;
  text: string;
  fg: string;
  bg: string;
  bold: boolean;
  underline: boolean;
}

function rowSvg(terminal: Terminal, y: number): string {
  const runs = runsOf(terminal, y);
  const backgrounds = joined(runs, (run) => run.bg)
    .filter(({ bg }) => bg !== ground)
    .map(
      ({ x, columns, bg }) =>
        `<rect x="${round(x * columnWidth)}" y="${y * rowHeight}" width="${round(columns * columnWidth + 0.2)}" height="${rowHeight + 0.2}" fill="${bg}"/>`,
    );
  const texts = runs.filter(({ text }) => text.trim() !== '').map((run) => runSvg(run, y));
  const all = [...backgrounds, ...texts].join('');
  return all && `${all}\n`;
}

/**
 * Splits a row into groups of neighbouring cells with the same style. Each box-drawing character is a separate group,
 * because it is drawn as lines.
 */
function runsOf(terminal: Terminal, y: number): Run[] {
  const line = terminal.buffer.active.getLine(y);
  const runs: Run[] = [];
  for (let x = 0; x < terminal.cols; x++) {
    const cell = line?.getCell(x);
    if (!cell || cell.getWidth() === 0) continue;
    const look = lookOf(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    const joins = last && !lines[text] && !lines[last.text] && cell.getWidth() === 1;
    if (joins && /^[ -~]*$/.test(last.text) && /^[ -~]$/.test(text) && sameLook(last, look)) {
      last.text += text;
      last.columns++;
    } else runs.push({ x, columns: cell.getWidth(), text, ...look });
  }
  return runs;
}

function joined(runs: readonly Run[], key: (run: Run) => string): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last && key(last) === key(run)) last.columns += run.columns;
    else all.push({ ...run });
  }
  return all;
}

type Look = Pick<Run, 'fg' | 'bg' | 'bold' | 'underline'>;

const sameLook = (a: Look, b: Look) =>
  a.fg === b.fg && a.bg === b.bg && a.bold === b.bold && a.underline === b.underline;

function lookOf(cell: IBufferCell): Look {
  const fg = cell.isFgDefault() ? ink : paletteColour(cell.getFgColor());
  const bg = cell.isBgDefault() ? ground : paletteColour(cell.getBgColor());
  const [front, back] = cell.isInverse() ? [bg, fg] : [fg, bg];
  return { fg: front, bg: back, bold: cell.isBold() !== 0, underline: cell.isUnderline() !== 0 };
}

function runSvg({ x, columns, text, fg, bold, underline }: Run, y: number): string {
  const box = lines[text];
  const left = round(x * columnWidth);
  if (box)
    return `<path transform="translate(${left} ${y * rowHeight})" d="${box.path}" fill="none" stroke="${fg}" stroke-width="${box.width}"/>`;
  const lead = text.length - text.trimStart().length;
  const shown = text.trim();
  const from = round((x + lead) * columnWidth);
  const length = round((columns - (text.length - shown.length)) * columnWidth);
  const style = `${bold ? ' font-weight="bold"' : ''}${underline ? ' text-decoration="underline"' : ''}`;
  return `<text x="${from}" y="${y * rowHeight + 13}" fill="${fg}"${style} textLength="${length}" lengthAdjust="spacingAndGlyphs">${escapeXml(shown)}</text>`;
}

const w = columnWidth;
const h = rowHeight;
const [cx, cy] = [w / 2, h / 2];
const across = `M0 ${cy}H${w}`;
const corner = (x: number, y: number) =>
  `M${x} ${cy}H${x === 0 ? cx - 4 : cx + 4}Q${cx} ${cy} ${cx} ${y === 0 ? cy - 4 : cy + 4}V${y}`;
const angle = (x: number, y: number) => `M${x} ${cy}H${cx}V${y}`;

/** The lines that draw each box-drawing character, so that frames close with any font. */
const lines: Record<string, { path: string; width: number }> = {
  '─': { path: across, width: 1.2 },
  '━': { path: across, width: 4 },
  '╌': { path: `M1 ${cy}H${cx - 1}M${cx + 1} ${cy}H${w - 1}`, width: 1 },
  '│': { path: `M${cx} 0V${h}`, width: 1.2 },
  '╭': { path: corner(w, h), width: 1.2 },
  '╮': { path: corner(0, h), width: 1.2 },
  '╰': { path: corner(w, 0), width: 1.2 },
  '╯': { path: corner(0, 0), width: 1.2 },
  '┌': { path: angle(w, h), width: 1.2 },
  '┐': { path: angle(0, h), width: 1.2 },
  '└': { path: angle(w, 0), width: 1.2 },
  '┘': { path: angle(0, 0), width: 1.2 },
};

const basic = [
  '#2e3440',
  '#bf616a',
  '#a3be8c',
  '#ebcb8b',
  '#81a1c1',
  '#b48ead',
  '#88c0d0',
  '#e5e9f0',
  '#4c566a',
  '#d08770',
  '#a3be8c',
  '#ebcb8b',
  '#81a1c1',
  '#b48ead',
  '#8fbcbb',
  '#eceff4',
];

/** Returns a colour of xterm's palette, which has 256 colours. */
function paletteColour(index: number): string {
  if (index < 16) return basic[index] as string;
  if (index >= 232) return hex([8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10]);
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(' ', '\u00a0');
}
