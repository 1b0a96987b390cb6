import { expect, onTestFinished, test } from 'vitest';
import { type DrawScreenOptions, drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource, fakeReceipts } from './fake-source.fixture.ts';
import { journalCapacity } from './state.ts';

const first = 'V400m-347312390';
const second = 'V400m-347312391';
const keys = { enter: '\r', escape: '\x1b', backspace: '\x7f', up: '\x1b[A', down: '\x1b[B', tab: '\t' };
const ctrlU = '\x15';

async function setup(options: DrawScreenOptions = {}) {
  const source = new FakeSource();
  const screen = await drawScreen(source, options);
  onTestFinished(async () => {
    await screen.type('\x03');
  });
  return { source, screen };
}

test('digits, enter, backspace and escape go to the terminal while it accepts them', async () => {
  const { source, screen } = await setup();
  source.show('pin');
  await screen.type('1', '0', keys.backspace, keys.enter, keys.escape);
  expect(source.done).toEqual(
    ['1', '0', 'clear', 'enter', 'cancel'].map((key) => ({ poiId: first, action: 'press', keys: [key] })),
  );
});

test('keys typed in one burst arrive one by one and in order', async () => {
  const { source, screen } = await setup();
  source.show('pin');
  await screen.type('1234\r');
  expect(source.done.map((done) => (done as { keys: string[] }).keys[0])).toEqual([
    '1',
    '2',
    '3',
    '4',
    'enter',
  ]);
});

test('a key that the terminal does not accept is not pressed', async () => {
  const { source, screen } = await setup();
  source.show('idle');
  await screen.type('5', keys.enter, keys.escape);
  expect(source.done).toEqual([]);
});

test('only keys that work now are shown as keys', async () => {
  const { source, screen } = await setup();
  source.show('tip');
  await screen.drawn();
  expect(screen.text).toContain('[ 1 ]');
  expect(screen.text).not.toContain('[ 5 ]');
});

test('a card is selected with the arrow keys and presented by a letter', async () => {
  const { source, screen } = await setup();
  source.show('presentCard');
  await screen.type(keys.down, keys.down, 'i', keys.up, 't', 's', 'k', 'r', 'u');
  expect(source.done).toEqual([
    { poiId: first, action: 'insert', card: 'mc-credit' },
    { poiId: first, action: 'tap', card: 'visa-debit' },
    { poiId: first, action: 'swipe', card: 'visa-debit' },
    { poiId: first, keyIn: 'visa-debit' },
    { poiId: first, action: 'remove' },
    { poiId: first, action: 'resetCard', card: 'visa-debit' },
  ]);
});

test('the tray can be searched, and the card that was found is presented', async () => {
  const { source, screen } = await setup();
  await screen.type('/', 'b', 'a', 'l', 'a', 'n', keys.enter, 'i');
  expect(screen.text).toContain('Cards 1/1  /balan');
  expect(source.done).toEqual([{ poiId: first, action: 'insert', card: 'not-enough' }]);
  await screen.type('/', keys.escape);
  expect(screen.text).toContain('/23');
});

test('a search selects its first hit, and says after it closes how to show all cards again', async () => {
  const { screen } = await setup();
  await screen.type('/', 'v', keys.down);
  expect(screen.text).toMatch(/Cards 2\/\d+ {2}\/v/);
  await screen.type('i', 's');
  expect(screen.text).toMatch(/Cards 1\/\d+ {2}\/vis/);
  await screen.type('z', 'z');
  expect(screen.text).toContain('No card matches. Esc shows all.');
  await screen.type(keys.enter);
  expect(screen.text).toContain('No card matches. / Esc shows all.');
});

test('a search lists cards whose name begins with it first, and then those with such a word', async () => {
  const { source, screen } = await setup();
  source.cardList = ['Tap, then insert', 'Old prepaid', 'Approved by appetite', 'Prepaid gold'].map(
    (label, index) => ({ ...source.cardList[0]!, id: `card-${index}`, label, note: 'never prepaid' }),
  );
  source.changed();
  await screen.type('/', 'p', 'r', 'e', 'p');
  const rows = screen.lines.slice(2, 6).map((line) => line.slice(46, 60).trim());
  expect(rows).toEqual(['Prepaid gold', 'Old prepaid', 'Tap, then inse', 'Approved by ap']);
});

test('one key toggles the power, and another key the network', async () => {
  const { source, screen } = await setup();
  await screen.type('p', 'n');
  source.show('off');
  source.terminalList = source.terminalList.map((terminal) => ({ ...terminal, networkUp: false }));
  source.changed();
  await screen.drawn();
  expect(screen.text).toContain('no cable');
  await screen.type('p', 'n');
  expect(source.done).toEqual([
    { poiId: first, action: 'power', on: false },
    { poiId: first, action: 'network', up: false },
    { poiId: first, action: 'power', on: true },
    { poiId: first, action: 'network', up: true },
  ]);
});

test('a shopper is added with the selected card, and removed again', async () => {
  const { source, screen } = await setup();
  await screen.type('x');
  const shopper = { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 800 } as const;
  expect(source.done).toEqual([{ poiId: first, shopper }]);
  source.terminalList = source.terminalList.map((terminal) => ({ ...terminal, shopper }));
  source.changed();
  await screen.drawn();
  expect(screen.text).toContain('An automatic shopper pays with');
  await screen.type('x');
  expect(source.done.at(-1)).toEqual({ poiId: first, shopper: undefined });
});

test('tab, function keys and clicks on the tabs change the terminal', async () => {
  const { source, screen } = await setup();
  await screen.type(keys.tab, 'p', '\x1bOP', 'p');
  await screen.click('F2 ');
  await screen.type('p');
  expect(source.done).toEqual(
    [second, first, second].map((poiId) => ({ poiId, action: 'power', on: false })),
  );
  expect(screen.text).toContain('[F2 ');
});

test('keys, choices, lamps and cards can be clicked', async () => {
  const { source, screen } = await setup();
  source.show('tip');
  await screen.drawn();
  await screen.click('[ 2 ]', 2);
  await screen.click('[4] Other', 1);
  await screen.click('X Cancel');
  await screen.click('network');
  await screen.click('Maestro');
  await screen.click('i  insert');
  expect(source.done).toEqual([
    { poiId: first, action: 'press', keys: ['2'] },
    { poiId: first, action: 'press', keys: ['4'] },
    { poiId: first, action: 'press', keys: ['cancel'] },
    { poiId: first, action: 'network', up: false },
    { poiId: first, action: 'insert', card: 'maestro' },
  ]);
});

test('a double click counts as two clicks, and a drag as one', async () => {
  const { source, screen } = await setup();
  source.show('pin');
  await screen.drawn();
  const { x, y } = screen.find('[ 7 ]');
  const at = `${x + 3};${y + 1}`;
  await screen.type(`\x1b[<0;${at}M\x1b[<0;${at}m\x1b[<0;${at}M\x1b[<0;${at}m`);
  expect(source.done).toHaveLength(2);
  await screen.type(`\x1b[<0;${at}M`, `\x1b[<32;${at}M`, `\x1b[<32;${at}M`, `\x1b[<0;${at}m`);
  expect(source.done).toHaveLength(3);
});

test('only mouse presses are requested, in the encoding that every terminal supports', async () => {
  const { screen } = await setup();
  const modes = Array.from(screen.sent.matchAll(/\x1b\[\?(\d+)h/g), ([, mode]) => mode);
  expect(modes).toEqual(expect.arrayContaining(['1000', '1006']));
  expect(modes).not.toEqual(expect.arrayContaining(['1003']));
});

test('the wheel scrolls the pane under the pointer', async () => {
  const { screen } = await setup();
  await screen.wheel('down', 'Visa debit');
  expect(screen.text).toContain('Cards 2/23');
});

test('a failed action is shown until the next one', async () => {
  const { source, screen } = await setup();
  source.refusal = { code: 'notPossible', message: 'There is a card in the slot' };
  await screen.type('i');
  expect(screen.text).toContain('There is a card in the slot');
  source.refusal = undefined;
  await screen.type('r');
  expect(screen.text).not.toContain('There is a card in the slot');
});

test.each([
  ['an arrow', '\x1b[B'],
  ['a list', 'l'],
  ['a digit that the terminal does not take', '7'],
])('the message of a refusal goes away with the next key that has a meaning: %s', async (_name, key) => {
  const { source, screen } = await setup();
  source.refusal = { code: 'notPossible', message: 'the terminal is not asking for a card' };
  await screen.type('t');
  expect(screen.text).toContain('the terminal is not asking for a card');
  await screen.type(key);
  expect(screen.text).not.toContain('the terminal is not asking for a card');
});

test('a sale is sent with its amount and tip', async () => {
  const { source, screen } = await setup();
  await screen.type('$', '9', 'x', ctrlU, '1', '2', ',', '3', '0', '4', keys.backspace, keys.tab, keys.enter);
  expect(source.done).toEqual([{ poiId: first, sale: 12.3, tip: false }]);
  expect(screen.text).toContain('Sale of EUR 12.30 sent to V400m-347312390');
  source.show('tip');
  await screen.drawn();
  expect(screen.text).toContain('Type the number of a tip');
});

test('an invalid amount is refused with an explanation: a negative number, zero, a space', async () => {
  const { source, screen } = await setup();
  await screen.type('a', keys.enter);
  expect(screen.text).toContain('type an amount such as');
  await screen.type('-', '5', keys.enter);
  expect(screen.text).toContain('an amount must be more than 0');
  await screen.type(keys.escape, 'a', '1', ' ', '2', keys.enter);
  expect(screen.text).toContain('1 2 is not an amount');
  expect(screen.text).toContain('(●) yes');
  expect(source.done).toEqual([]);
});

test('the dialog of a sale can be used by mouse: its tip, sending, and closing', async () => {
  const { source, screen } = await setup();
  await screen.type('a', '5');
  await screen.click('[ Esc  close ]', 2);
  expect(screen.text).not.toContain('Esc  close');
  await screen.type('a', '5');
  await screen.click(') no');
  await screen.click('[ Enter  send ]', 2);
  expect(source.done).toEqual([{ poiId: first, sale: 5, tip: false }]);
});

test('an amount is reported with its decimals, however it was typed', async () => {
  const { source, screen } = await setup();
  // This promise never resolves, as if the terminal waited for a slow cardholder.
  source.outcome = () => new Promise(() => {});
  await screen.type('a', '2', '0', keys.enter);
  expect(screen.text).toContain('Sale of EUR 20.00 sent');
});

test('a sale that cannot be sent says why', async () => {
  const { source, screen } = await setup();
  source.outcome = async () => {
    throw new Error('connect ECONNREFUSED 127.0.0.1:8080');
  };
  await screen.type('a', '1', keys.enter);
  expect(screen.text).toContain('Sale on V400m-347312390: connect ECONNREFUSED');
});

test('a sale whose answer is lost says so, and what a POS does then', async () => {
  const { source, screen } = await setup();
  let answered = () => {};
  source.outcome = (onRecovery) => {
    onRecovery?.('No outcome (other side closed): sending the request again with the same key');
    return new Promise((resolve) => {
      answered = resolve;
    });
  };
  await screen.type('a', '1', keys.enter);
  expect(screen.text).toContain(
    '✗ No outcome (other side closed): sending the request again with the same key',
  );
  answered();
  await screen.drawn();
  expect(screen.text).toContain('✓ The repeated request was answered, and the customer paid only once');
});

test('a sale that was answered at once does not mention recovery', async () => {
  const { screen } = await setup();
  await screen.type('a', '1', keys.enter);
  expect(screen.text).not.toContain('The repeated request');
});

test('the sale dialog takes digits for itself, and escape closes it without a sale', async () => {
  const { source, screen } = await setup();
  source.show('pin');
  await screen.type('a', '7', keys.escape);
  expect(source.done).toEqual([]);
  expect(screen.text).not.toContain('Ring up a sale ');
});

test('a receipt is shown as soon as it is printed, and older ones can be reached behind it', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  expect(screen.text).toContain('No receipt yet');
  source.receiptList = fakeReceipts('old').map((copy) => ({
    ...copy,
    lines: [{ text: 'OLD', bold: false }],
  }));
  source.changed();
  await screen.drawn();
  expect(screen.text).toContain('OLD');
  source.receiptList = [...source.receiptList, ...fakeReceipts('new')];
  source.changed();
  await screen.drawn();
  expect(screen.text).toContain('CARDHOLDER COPY');
  await screen.type('c');
  expect(screen.text).toContain('MERCHANT COPY');
  await screen.type('v', '\x1b[D');
  expect(screen.text).toContain('OLD');
});

test('the journal follows new entries, stays where it was scrolled to, and can follow again', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  const happen = async (from: number, to: number) => {
    for (let i = from; i <= to; i++) source.journal.add('warning', { message: `thing ${i}.` });
    await screen.drawn();
  };
  await happen(1, 20);
  expect(screen.text).toContain('thing 20.');
  await screen.wheel('up', 'thing 20.');
  expect(screen.text).not.toContain('thing 20.');
  await happen(21, 30);
  expect(screen.text).toContain('thing 19.');
  expect(screen.text).not.toContain('thing 20.');
  await screen.click('End follows');
  expect(screen.text).toContain('thing 30.');
});

test('the key End makes the journal follow again after one notch of the wheel', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  for (let i = 1; i <= 20; i++) source.journal.add('warning', { message: `thing ${i}.` });
  await screen.drawn();
  await screen.wheel('up', 'thing 20.');
  await screen.type('\x1b[F');
  expect(screen.text).toContain('thing 20.');
  expect(screen.text).toContain('Cards 1/23');
});

test('an open entry that the journal no longer has is not replaced by another entry', async () => {
  const { source, screen } = await setup();
  source.journal.add('warning', { message: 'the first thing' });
  await screen.type('j', keys.enter);
  expect(screen.text).toContain('the first thing');
  for (let i = 0; i < journalCapacity; i++) source.journal.add('warning', { message: `thing ${i}.` });
  await screen.drawn();
  expect(screen.text).toContain('The journal no longer has this entry');
  expect(screen.text).not.toContain('thing ');
});

test('small print of the journal is listed on request', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  source.journal.add('terminal.key', { key: '5' }, { terminal: first });
  await screen.drawn();
  expect(screen.text).not.toContain('Key 5');
  await screen.type('d');
  expect(screen.text).toContain('Key 5');
});

test('the screen adapts when the window is resized, even while a dialog is open', async () => {
  const { source, screen } = await setup();
  source.show('pin');
  await screen.type('a');
  await screen.resize(120, 40);
  expect(screen.text).toContain('Ring up a sale');
  expect(screen.text).toContain('Receipt');
  await screen.resize(60, 10);
  expect(screen.text).toContain('Make it at least 60 x 15');
  await screen.resize(80, 24);
  await screen.type(keys.escape);
  expect(screen.lines[0]).toContain('pinpad');
  expect(screen.lines[23]).toContain('q quit');
});

test('if the window is too small for the terminal, only the key to quit works', async () => {
  const { source, screen } = await setup();
  source.show('presentCard');
  await screen.type('a');
  await screen.type('5.00');
  await screen.resize(60, 10);
  await screen.type('1');
  await screen.type(keys.enter);
  await screen.type('p');
  await screen.resize(80, 24);
  expect(screen.text).toMatch(/Amount +EUR \[5\.00 */);
  expect(source.done).toEqual([]);
  await screen.resize(60, 10);
  await screen.type('q');
  await screen.finished;
});

test('the key q also asks first in a window that is too small', async () => {
  const { source, screen } = await setup();
  const about = { terminal: second, payment: 'p1' };
  source.journal.add('payment.accepted', { amount: 1_416, currency: 'EUR', requestId: 'r' }, about);
  await screen.resize(60, 10);
  await screen.type('q');
  expect(screen.text).toContain('A payment is under way.');
  await screen.type('n');
  expect(screen.text).toContain('Payments continue. q quits.');
  expect(screen.raw).toBe(true);
  await screen.type('q');
  await screen.type('y');
  await screen.finished;
});

test('the key q asks first during a payment', async () => {
  const { source, screen } = await setup();
  const about = { terminal: second, payment: 'p1' };
  source.journal.add('payment.accepted', { amount: 1_416, currency: 'EUR', requestId: 'r' }, about);
  await screen.drawn();
  await screen.type('q');
  expect(screen.text).toContain('EUR 14.16 is being paid on V400m-347312391');
  await screen.type(keys.escape);
  expect(screen.text).not.toContain('is being paid');
  expect(screen.raw).toBe(true);
  await screen.type('q');
  await screen.click('[ y  quit ]', 2);
  await screen.finished;
  expect(screen.raw).toBe(false);
});

test('quitting restores the window', async () => {
  const { screen } = await setup();
  expect(screen.raw).toBe(true);
  expect(screen.terminal.buffer.active.type).toBe('alternate');
  await screen.type('q');
  await screen.finished;
  await screen.drawn();
  expect(screen.raw).toBe(false);
  expect(screen.terminal.buffer.active.type).toBe('normal');
  expect(screen.sent).toContain('\x1b[?1000l');
  expect(screen.sent).toContain('\x1b[?1006l');
  expect(screen.sent.lastIndexOf('\x1b[?25h')).toBeGreaterThan(screen.sent.lastIndexOf('\x1b[?25l'));
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
  '%s restores the window and lets the program end',
  async (signal) => {
    const { screen } = await setup();
    screen.process.emit(signal, signal);
    await screen.finished;
    await screen.drawn();
    expect(screen.terminal.buffer.active.type).toBe('normal');
    expect(screen.process.exits).toEqual([]);
    expect(screen.process.eventNames()).toEqual([]);
  },
);

test('a crash restores the window, prints the error and exits with 1', async () => {
  const { screen } = await setup();
  screen.process.emit('uncaughtException', new Error('out of paper'));
  await screen.finished;
  await screen.drawn();
  expect(screen.terminal.buffer.active.type).toBe('normal');
  expect(screen.complaints.join()).toContain('out of paper');
  expect(screen.process.exits).toEqual([1]);
});

test('an end while the window is taken over restores the window', async () => {
  const { screen } = await setup({
    opening: (process) => process.emit('uncaughtException', new Error('out of paper')),
  });
  await screen.finished;
  await screen.drawn();
  expect(screen.terminal.buffer.active.type).toBe('normal');
  expect(screen.raw).toBe(false);
});

test.each(['sales', 'earlier'] as const)(
  '%s that cannot be read are reported on the screen',
  async (what) => {
    const source = new FakeSource();
    source[what] = async () => {
      throw new Error('the disk is gone');
    };
    const screen = await drawScreen(source);
    onTestFinished(async () => {
      await screen.type('\x03');
    });
    expect(screen.text).toContain('cannot be read: the disk is gone');
  },
);

test('a window that disappears ends the text UI', async () => {
  const { screen } = await setup();
  screen.endInput();
  await screen.finished;
});

test('a window that is closed ends the text UI too, though nothing can be restored', async () => {
  const { screen } = await setup();
  screen.closeWindow();
  await screen.finished;
  await screen.drawn();
  expect(screen.complaints).toEqual([]);
  expect(screen.process.exits).toEqual([]);
});
