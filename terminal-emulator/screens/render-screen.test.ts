import { expect, test } from 'vitest';
import {
  type Language,
  languages,
  type Screen,
  type ScreenState,
  screenSchema,
  screenStates,
} from '../../shared/emulator/screen.ts';
import { errorConditions } from '../../shared/nexo/enums.ts';
import { failureCauses } from './locales/locale.ts';
import { locales } from './locales.ts';
import { lineColumns, renderScreen, titleColumns } from './render-screen.ts';
import type { ScreenFacts, ShownPayment } from './screen-facts.ts';
import { countColumns } from './text-fit.ts';
import { makeTipChoices } from './tip-choices.ts';

const noPayment: ScreenState[] = ['off', 'starting', 'idle', 'offline', 'displaced'];

const gratuity = { percentages: [15, 18, 20], custom: true, maximumTotal: 1_000_000 };

/** An input that contains everything that a state of the terminal could show. */
function full(state: ScreenState, language: Language, changes: Partial<ShownPayment> = {}): ScreenFacts {
  return {
    state,
    language,
    power: state !== 'off',
    network: state !== 'off' && state !== 'offline',
    poiId: 'V400m-347312398',
    storeName: 'Café Zentral',
    card: state === 'removeCard' ? { id: 'visa-credit', label: 'Visa credit' } : undefined,
    typed: { customTip: '1500', keyedNumber: '4111111111', keyedExpiry: '124' }[state as string],
    pinLength: 3,
    ...(!noPayment.includes(state) && {
      payment: {
        amountMinor: 108_999,
        currency: 'EUR',
        tipMinor: ['tip', 'customTip'].includes(state) ? undefined : 19_620,
        tipChoices: makeTipChoices(gratuity, 108_999, 'EUR', language),
        entries: state === 'presentCard' ? ['ICC', 'Contactless', 'MagStripe', 'Keyed'] : [],
        applications: ['MC CREDITO', 'MAESTRO DEBITO'],
        triesLeft: state === 'pinWrong' ? 2 : 1,
        ...changes,
      },
    }),
    failure: {
      condition: state === 'cardNotAccepted' ? 'PaymentRestriction' : 'Refusal',
      detail: { declined: '210 Not enough balance', customTip: 'TIP_TOO_HIGH' }[state as string],
    },
  };
}

/** The states in which a refund's texts differ from those of a payment. */
const results = ['approved', 'declined', 'cancelled', 'cardNotAccepted'] as const;
const everyScreen = languages.flatMap((language) => screenStates.map((state) => [state, language] as const));

/** The input of {@link full} for a refund, which has no tip. */
function refunding(state: ScreenState, language: Language): ScreenFacts {
  const detail = { cardNotAccepted: 'CARD_NOT_REFUNDABLE', declined: 'CARD_NEEDED' }[state as string];
  const input = full(state, language, { givesBack: 'refund', tipMinor: undefined });
  return { ...input, failure: { ...input.failure, detail } };
}

test.each(everyScreen)('%s in %s is a valid screen whose texts fit', (state, language) => {
  for (const input of [full(state, language), refunding(state, language)]) expectToFit(renderScreen(input));
});

function expectToFit(drawn: Screen): void {
  const { state, language } = drawn;
  expect(screenSchema.parse(drawn)).toEqual(drawn);
  if (state !== 'off') expect(drawn.title).toMatch(/\S/);
  expect(countColumns(locales[language].states[state].title)).toBeLessThanOrEqual(titleColumns);
  expect(drawn.lines.length, drawn.lines.join('\n')).toBeLessThanOrEqual(4);
  for (const line of [...drawn.lines, drawn.amount ?? '', drawn.input?.label ?? '']) {
    expect(countColumns(line), line).toBeLessThanOrEqual(lineColumns);
    expect(line).not.toMatch(/undefined|NaN|[{}$<>]|null/);
  }
  for (const { label } of drawn.choices) expect(countColumns(label), label).toBeLessThanOrEqual(16);
  expect(drawn.keys).toContain('power');
}

test.each(languages)('every text of %s is there, in its own words, and fits its line', (language) => {
  const locale = locales[language];
  for (const cause of failureCauses)
    expect(countColumns(locale.causes[cause]), cause).toBeLessThanOrEqual(lineColumns);
  for (const state of screenStates) {
    const { title, lines } = locale.states[state];
    for (const text of [title, ...lines]) {
      expect(text).toBe(text.trim());
      expect(text).not.toMatch(/\p{Emoji_Presentation}|…|\.$/u);
    }
    if (language !== 'en' && state !== 'off')
      expect(locale.states[state]).not.toEqual(locales.en.states[state]);
  }
  for (const condition of errorConditions) {
    const drawn = renderScreen({ ...full('declined', language), failure: { condition } });
    expect(drawn.lines.length, drawn.lines.join('\n')).toBeLessThanOrEqual(3);
  }
  for (const [state, title] of Object.entries(locale.givingBack.titles)) {
    expect(countColumns(title), title).toBeLessThanOrEqual(titleColumns);
    expect(title).not.toBe(locale.states[state as ScreenState].title);
  }
  expect(countColumns(locale.givingBack.line)).toBeLessThanOrEqual(lineColumns);
  if (language !== 'en') expect(locale.givingBack).not.toEqual(locales.en.givingBack);
  expect(locale.triesLeft(1)).not.toBe(locale.triesLeft(2));
  expect(countColumns(locale.tipIncluded('99.999.999,99 €'))).toBeLessThanOrEqual(2 * lineColumns);
});

test.each(languages)('the golden screens of %s are as a shopper reads them', async (language) => {
  const views = screenStates.map((state) => [state, full(state, language)] as const);
  const failedTaps = [
    ['presentCard, a tap failed', full('presentCard', language, { tapFailure: 'unreadable' })],
    ['presentCard, several cards were tapped', full('presentCard', language, { tapFailure: 'several' })],
  ] as const;
  const givesBack = ['presentCard', 'pin', 'authorizing', ...results].map(
    (state) => [`${state}, a refund`, refunding(state as ScreenState, language)] as const,
  );
  const text = [...views, ...failedTaps, ...givesBack]
    .map(([name, view]) => {
      const { title, lines, amount, choices, input, keys, tone } = renderScreen(view);
      return [
        `── ${name} (${tone}) ──`,
        title,
        amount,
        ...lines,
        ...choices.map(({ key, label, row, column }) => `  [${key}] ${label} @${row},${column}`),
        input && `${input.label}: ${input.text}`,
        `keys: ${keys.join(' ')}`,
      ]
        .filter((line) => line !== undefined && line !== '')
        .join('\n');
    })
    .join('\n\n');
  await expect(`${text}\n`).toMatchFileSnapshot(`./golden/${language}.golden.txt`);
});

const idle: ScreenFacts = { state: 'idle', language: 'en', power: true, network: true, poiId: 'P400-1' };
const paying: ScreenFacts = {
  ...idle,
  state: 'presentCard',
  payment: { amountMinor: 1099, currency: 'EUR', entries: [] },
};
function payingWith(changes: Partial<ShownPayment>, state = paying.state): ScreenFacts {
  return { ...paying, state, payment: { amountMinor: 1099, currency: 'EUR', entries: [], ...changes } };
}

test('without power the screen is dark in every state of the payment', () => {
  const dark = renderScreen({
    ...payingWith({ entries: ['ICC'] }),
    power: false,
    card: { id: 'visa', label: 'Visa' },
  });
  expect(dark).toMatchObject({ state: 'off', title: '', lines: [], entries: [], keys: ['power'] });
  expect(dark.lamps).toEqual({ power: false, network: false, contactless: 0, chip: false });
  expect(dark.amount).toBeUndefined();
  expect(dark.card).toEqual({ id: 'visa', label: 'Visa' });
});

test('the amount includes the tip, and the tip is shown separately', () => {
  const drawn = renderScreen(payingWith({ tipMinor: 198 }));
  expect(drawn.amount).toBe('€12.97');
  expect(drawn.lines).toContain('Including tip €1.98');
  expect(renderScreen(paying).lines.join()).not.toContain('tip');
});

test.each([
  [['ICC', 'Contactless', 'MagStripe'], 'Tap, insert, or swipe', 1, true],
  [['Contactless'], 'Tap', 1, false],
  [['MagStripe', 'Keyed'], 'Swipe or key in number', 0, false],
] as const)(
  'for %j the screen asks the shopper to do it and the lamps show where',
  (entries, line, contactless, chip) => {
    const drawn = renderScreen(payingWith({ entries }));
    expect(drawn.lines).toEqual([line]);
    expect(drawn.lamps).toMatchObject({ contactless, chip });
    expect(drawn.entries).toEqual(entries);
  },
);

test.each(languages)('after a failed tap the screen asks again in %s, and the text fits', (language) => {
  const first = renderScreen(full('presentCard', language));
  const again = renderScreen(full('presentCard', language, { tapFailure: 'unreadable' }));
  expect(again.title).toBe(locales[language].presentAgain);
  expect(countColumns(again.title)).toBeLessThanOrEqual(titleColumns);
  expect(again).toEqual({
    ...first,
    title: again.title,
    lines: [locales[language].states.cardUnreadable.title, ...first.lines],
  });
});

test.each(languages)(
  'after a collision the screen asks for one card in %s, and the text fits',
  (language) => {
    const first = renderScreen(full('presentCard', language));
    const one = renderScreen(full('presentCard', language, { tapFailure: 'several' }));
    expect(countColumns(one.title)).toBeLessThanOrEqual(titleColumns);
    expect(one).toEqual({ ...first, title: locales[language].presentOne });
    expect(one.title).not.toBe(locales[language].presentAgain);
  },
);

test('digits work at the card prompt only if a number may be typed', () => {
  expect(renderScreen(payingWith({ entries: ['ICC'] })).keys).toEqual(['cancel', 'power']);
  expect(renderScreen(payingWith({ entries: ['Keyed'] })).keys).toContain('4');
});

test('the contactless lamps fill up while a tapped card is read and stay until the answer', () => {
  const lamps = (state: ScreenState) =>
    renderScreen(payingWith({ usedEntry: 'Contactless' }, state)).lamps.contactless;
  expect([lamps('readingCard'), lamps('authorizing'), lamps('approved'), lamps('declined')]).toEqual([
    3, 4, 4, 0,
  ]);
  expect(renderScreen(payingWith({ usedEntry: 'ICC' }, 'readingCard')).lamps.contactless).toBe(0);
});

test('a PIN is shown as stars, and only the first six digits of a card number are readable', () => {
  expect(renderScreen({ ...paying, state: 'pin', pinLength: 4 }).input).toEqual({
    label: 'PIN',
    text: '****',
  });
  const typed = renderScreen({ ...paying, state: 'keyedNumber', typed: '4111111111111111' });
  expect(typed.input?.text).toBe('4111 11** **** ****');
  expect(renderScreen({ ...paying, state: 'keyedNumber', typed: '4111' }).input?.text).toBe('4111');
});

test('an expiry is shown with a slash after the month, and a tip with its decimals', () => {
  const expiry = (typed: string) => renderScreen({ ...paying, state: 'keyedExpiry', typed }).input?.text;
  expect([expiry(''), expiry('1'), expiry('12'), expiry('124'), expiry('1249')]).toEqual([
    '',
    '1',
    '12/',
    '12/4',
    '12/49',
  ]);
  expect(renderScreen({ ...paying, state: 'customTip' }).input?.text).toBe('€0.00');
  expect(renderScreen({ ...paying, state: 'customTip', typed: '150' }).input?.text).toBe('€1.50');
});

test('a tip above the limit is refused with an explanation', () => {
  expect(renderScreen({ ...paying, state: 'customTip', failure: { detail: 'TIP_TOO_HIGH' } }).lines[0]).toBe(
    'This tip is too high',
  );
});

test('the remaining tries are shown from the first wrong PIN on', () => {
  expect(renderScreen({ ...paying, state: 'pin' }).lines).toEqual(['Then press the green key']);
  expect(renderScreen(payingWith({ triesLeft: 2 }, 'pinWrong')).lines).toEqual(['2 tries left']);
  expect(renderScreen(payingWith({ triesLeft: 1 }, 'pin')).lines[0]).toBe('One try left');
});

test('each application of a co-badged card has its key', () => {
  const drawn = renderScreen(payingWith({ applications: ['INTERAC', 'VISA DEBIT'] }, 'applicationChoice'));
  expect(drawn.choices).toEqual([
    { key: '1', label: 'INTERAC', row: 0, column: 0 },
    { key: '2', label: 'VISA DEBIT', row: 1, column: 0 },
  ]);
  expect(drawn.keys).toEqual(['1', '2', 'cancel', 'power']);
});

test('a terminal whose key is refused says so, and not only that it retries', () => {
  const offline: ScreenFacts = { ...idle, state: 'offline', network: false };
  expect(renderScreen(offline).lines).toEqual(['Trying to connect', 'P400-1']);
  expect(renderScreen({ ...offline, failure: { detail: 'KEY_REFUSED' } }).lines).toEqual([
    'The device key is not accepted',
    'P400-1',
  ]);
});

test('a long store name is broken over lines instead of running off the screen', () => {
  const storeName = 'Konditorei und Kaffeehaus Zum Goldenen Löwen';
  expect(renderScreen({ ...idle, storeName }).lines).toEqual([
    'Konditorei und Kaffeehaus Zum',
    'Goldenen Löwen',
    'P400-1',
  ]);
});

test('characters that no screen can show are shown as ? (B120)', () => {
  expect(renderScreen({ ...idle, storeName: 'Caf\ud83d \u001b[2J' }).lines).toEqual(['Caf? ?[2J', 'P400-1']);
  const card = { id: 'mine', label: 'Mine\u0007' };
  const choosing = { ...payingWith({ applications: ['VISA\u202e'] }, 'applicationChoice'), card };
  expect(renderScreen(choosing)).toMatchObject({
    choices: [{ label: 'VISA?' }],
    card: { id: 'mine', label: 'Mine?' },
  });
});

test('a screen that gives money back says so before the host has answered, and in its result', () => {
  const refund = payingWith({ givesBack: 'refund', entries: ['ICC'] });
  expect(renderScreen(refund)).toMatchObject({
    title: 'Present card',
    givesBack: 'refund',
    lines: ['Refund to your card', 'Insert'],
  });
  expect(renderScreen({ ...refund, state: 'approved' })).toMatchObject({
    title: 'Refund approved',
    lines: ['Thank you'],
  });
  expect(renderScreen({ ...refund, power: false })).not.toHaveProperty('givesBack');
  expect(renderScreen(paying)).not.toHaveProperty('givesBack');
});
