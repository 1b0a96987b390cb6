import { expect, test } from 'vitest';
import { screenStates } from '../../shared/emulator/screen.ts';
import { sampleCases } from '../../test/draws.ts';
import { commandUnderMouse } from './canvas.ts';
import { FakeSource, fakeReceipts } from './fake-source.fixture.ts';
import { makeInitialState, type TuiState } from './state.ts';
import { applyTuiCommand } from './update.ts';
import { drawTui } from './view.ts';

function stateOf(size: { columns: number; rows: number }, changes: Partial<TuiState> = {}): TuiState {
  const source = new FakeSource(Array.from({ length: 15 }, (_, index) => `Shop ${index + 1}`));
  source.receiptList = fakeReceipts();
  return { ...makeInitialState(source, size, true), ...changes };
}

const textOf = (state: TuiState) =>
  drawTui(state)
    .cells.map((row) => row.map(({ ch }) => ch).join(''))
    .join('\n');

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 100, rows: 30 },
  { columns: 115, rows: 37 },
  { columns: 116, rows: 38 },
  { columns: 240, rows: 80 },
];

const showing = screenStates.map((state) => {
  const source = new FakeSource();
  source.show(state);
  return source;
});

test.each(sampleCases(sizes, 2))(
  'everything is inside the window at $columns x $rows, whatever is open',
  (size) => {
    for (const overlay of [
      undefined,
      'help',
      'access',
      'sale',
      'search',
      'journal',
      'filter',
      'entry',
      'payments',
      'payment',
      'troubles',
      'receipt',
      'quit',
    ] as const) {
      for (const source of showing) {
        const view = drawTui({ ...makeInitialState(source, size, true), overlay });
        expect(view.cells).toHaveLength(size.rows);
        expect(new Set(view.cells.map((row) => row.length))).toEqual(new Set([size.columns]));
        const outside = view.hotspots.filter(
          ({ x, y, width, height }) => x < 0 || y < 0 || x + width > size.columns || y + height > size.rows,
        );
        expect(outside).toEqual([]);
      }
    }
  },
);

test('the smallest window is drawn without an error', () => {
  expect(drawTui(stateOf({ columns: 1, rows: 1 })).cells).toHaveLength(1);
});

test('the selected terminal is visible if there are more than fit in the tabs', () => {
  for (const terminal of [0, 7, 14]) {
    const [header] = textOf(stateOf({ columns: 80, rows: 24 }, { terminal })).split('\n');
    expect(header).toMatch(new RegExp(`\\[(F\\d+ )?V\\S*39${terminal} `));
  }
});

test('the selected card is visible wherever it is in the tray', () => {
  const state = stateOf({ columns: 80, rows: 24 });
  for (const { id, label } of state.cards) {
    expect(textOf({ ...state, cardId: id })).toMatch(new RegExp(`▸[ ■✗] ${label.slice(0, 10)}`));
  }
});

test('a blocked card is marked, and can be unblocked', () => {
  const state = stateOf({ columns: 80, rows: 24 }, { cardId: 'lost' });
  expect(textOf(state)).toContain('blocked');
  expect(textOf(state)).toContain('[u] unblock');
});

test('a click on what lies under a dialog does nothing, and a click beside the dialog closes it', () => {
  const view = drawTui(stateOf({ columns: 80, rows: 24 }, { overlay: 'sale' }));
  expect(commandUnderMouse(view, 'click', 30, 8)).toBeUndefined();
  expect(commandUnderMouse(view, 'click', 60, 3)).toEqual({ do: 'close' });
  expect(commandUnderMouse(view, 'wheelDown', 60, 3)).toBeUndefined();
});

test('scrolling stops at both ends', () => {
  const size = { columns: 80, rows: 24 };
  let state = stateOf(size, { overlay: 'receipt' });
  for (let i = 0; i < 99; i++)
    state = applyTuiCommand(state, { do: 'step', step: 'lineDown', panel: 'receipt' }).state;
  const end = textOf(state);
  expect(end).toContain('Thank you');
  state = applyTuiCommand(state, { do: 'step', step: 'lineUp', panel: 'receipt' }).state;
  expect(textOf(state)).not.toBe(end);
  expect(applyTuiCommand(state, { do: 'step', step: 'home', panel: 'receipt' }).state.receiptTop).toBe(0);
});
