import type { Screen, ScreenChoice } from '../../../shared/emulator/screen.ts';
import type { Canvas, Style } from '../canvas.ts';
import { textWidth, wrap } from '../text-width.ts';
import { displayStyleOf, theme } from '../theme.ts';

/** Rows that belong together. `draw` draws these rows, beginning at row `y`. */
interface Block {
  readonly rows: number;
  draw(canvas: Canvas, y: number): void;
}

/** Draws what the terminal's display shows: title, amount, lines, choices and the typed text. */
export function drawDisplay(canvas: Canvas, screen: Screen): void {
  const inside = canvas.frame(theme.body, canvas.marks.square);
  const style = displayStyleOf(screen);
  inside.fill(style);
  const blocks = blocksOf(inside, screen, style);
  const used = blocks.reduce((sum, block) => sum + block.rows, 0);
  let spare = inside.height - used;
  const gaps = blocks.map((_, index) => {
    if (index === 0 || spare <= 0) return 0;
    spare--;
    return 1;
  });
  let y = Math.max(0, Math.floor(spare / 2));
  for (const [index, block] of blocks.entries()) {
    y += gaps[index] as number;
    block.draw(inside, y);
    y += block.rows;
  }
}

function blocksOf(canvas: Canvas, screen: Screen, style: Style): Block[] {
  const bold = { ...style, bold: true };
  const blocks: Block[] = [];
  const mark = { success: canvas.marks.ok, error: canvas.marks.fail, prompt: '', neutral: '' }[screen.tone];
  if (screen.title) blocks.push(paragraph(canvas, [`${mark} ${screen.title}`.trim()], bold));
  if (screen.amount !== undefined) blocks.push(paragraph(canvas, [screen.amount], bold));
  if (screen.lines.length > 0) blocks.push(paragraph(canvas, screen.lines, style));
  if (screen.choices.length > 0) blocks.push(choices(screen.choices, bold));
  if (screen.input) blocks.push(input(screen.input, bold));
  return blocks;
}

function paragraph(canvas: Canvas, lines: readonly string[], style: Style): Block {
  const rows = lines.flatMap((line) => wrap(line, canvas.width));
  return {
    rows: rows.length,
    draw: (on, y) => {
      for (const [index, row] of rows.entries()) on.textCentred(y + index, row, style);
    },
  };
}

/** Lays choices out in rows from left to right, like the choices of a tip (B23). */
function choices(all: readonly ScreenChoice[], style: Style): Block {
  const columns = Math.max(...all.map((choice) => choice.column)) + 1;
  const rows = Math.max(...all.map((choice) => choice.row)) + 1;
  return {
    rows,
    draw: (on, y) => {
      const columnWidth = Math.floor(on.width / columns);
      for (const choice of all) {
        const x = choice.column * columnWidth;
        const alone = all.filter(({ row }) => row === choice.row).length === 1;
        const width = alone ? on.width - x : columnWidth;
        const key = choice.key === 'enter' ? 'Enter' : choice.key;
        on.text(x, y + choice.row, `[${key}] ${choice.label}`, style, width);
        const area = { x, y: y + choice.row, width, height: 1 };
        on.hotspot(area, { click: { do: 'press', key: choice.key } });
      }
    },
  };
}

function input({ label, text }: NonNullable<Screen['input']>, style: Style): Block {
  return {
    rows: 1,
    draw: (on, y) => {
      const row = `${label}${label ? ' ' : ''}${text}`;
      const x = Math.max(0, Math.floor((on.width - textWidth(row) - 1) / 2));
      const end = on.text(x, y, row, style, on.width - 1);
      on.text(end, y, on.marks.caret, style);
    },
  };
}
