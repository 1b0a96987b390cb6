import { z } from 'zod';
import { automaticShopper as shopperSettings } from '../../shared/emulator/frames.ts';
import { namedTerminal, withoutOptions } from '../format/values.ts';
import { type Verb, verb } from './verb.ts';

const card = z.string().meta({ description: 'A card of the tray, by its id' });
const unasked = z
  .boolean()
  .optional()
  .meta({ description: 'true: without waiting until the screen asks for it' });

function present<Way extends 'insert' | 'tap' | 'swipe'>(way: Way, description: string): Verb {
  return verb(
    way,
    z.strictObject({ [way]: card, terminal: namedTerminal, unasked }).meta({ description }),
    (actors, step) =>
      actors.actions(step.terminal as string | undefined)[way](String(step[way]), {
        unasked: step.unasked as boolean | undefined,
      }),
  );
}

/** Without an example: every card number that is printed is masked. */
const cardAndExpiry = 'must be the 12 to 19 digits of a card number, a space, and the expiry as MMYY';

const keyIn = verb(
  'key in',
  z
    .strictObject({
      'key in': z.string(cardAndExpiry).regex(/^\d{12,19} \d{4}$/, cardAndExpiry),
      terminal: namedTerminal,
    })
    .meta({ description: "The shopper has a card's number and expiry (MMYY) typed in" }),
  ({ actions }, { 'key in': typed, terminal: at }) => {
    const [number = '', expiry = ''] = typed.split(' ');
    return actions(at).keyIn(number, expiry);
  },
);

const remove = verb(
  'remove',
  z
    .strictObject({ remove: withoutOptions, terminal: namedTerminal })
    .meta({ description: 'The shopper removes the card when the terminal asks for it' }),
  ({ actions }, { terminal: at }) => actions(at).remove(),
  { standsAlone: true },
);

const pullOut = verb(
  'pull out',
  z
    .strictObject({ 'pull out': withoutOptions, terminal: namedTerminal })
    .meta({ description: 'The shopper pulls the card out at once, in any state of the terminal' }),
  ({ actions }, { terminal: at }) => actions(at).pullOut(),
  { standsAlone: true },
);

const pinForms = 'must be right, wrong, or 4 to 6 digits in quotes, as pin: "1234"';

const pin = verb(
  'pin',
  z
    .strictObject({
      // Of a text that is none of them zod says what the second form says.
      pin: z.union([z.enum(['right', 'wrong']), z.string().regex(/^\d{4,6}$/, pinForms)], {
        error: pinForms,
      }),
      terminal: namedTerminal,
    })
    .meta({ description: 'The shopper types a PIN: right, wrong, or digits in quotes' }),
  ({ actions }, { pin: typed, terminal: at }) => actions(at).pin(typed),
);

const tip = verb(
  'tip',
  z
    .strictObject({
      tip: z.union([z.string(), z.number(), z.strictObject({ custom: z.number() })]).meta({
        description: 'What the choice says (15%, none), the key beside it, or { custom: amount }',
      }),
      terminal: namedTerminal,
    })
    .meta({ description: 'The shopper chooses a tip' }),
  ({ actions }, { tip: choice, terminal: at }) => actions(at).tip(choice),
);

const choose = verb(
  'choose',
  z
    .strictObject({ choose: z.union([z.string(), z.number()]), terminal: namedTerminal })
    .meta({ description: 'The shopper chooses how a co-badged card pays, by label or key' }),
  ({ actions }, { choose: choice, terminal: at }) => actions(at).choose(String(choice)),
);

const press = verb(
  'press',
  z
    .strictObject({
      press: z.union([z.string(), z.number()]).meta({ description: 'Keys, e.g. 1 2 3 enter' }),
      terminal: namedTerminal,
      unasked,
    })
    .meta({ description: 'The shopper presses keys' }),
  ({ actions }, { press: keys, terminal: at, unasked: now }) =>
    actions(at).press(String(keys).split(' '), { unasked: now }),
);

const cancel = verb(
  'cancel',
  z
    .strictObject({ cancel: withoutOptions, terminal: namedTerminal })
    .meta({ description: 'The shopper presses the red key' }),
  ({ actions }, { terminal: at }) => actions(at).cancel(),
  { standsAlone: true },
);

const automatic = verb(
  'shopper',
  z
    .strictObject({
      shopper: z.union([
        z.literal('leaves'),
        z.strictObject(shopperSettings.shape).partial({ tip: true, thinkMs: true }),
      ]),
      terminal: namedTerminal,
    })
    .meta({ description: 'An automatic shopper pays everything from now on, or leaves' }),
  ({ world }, { shopper: settings, terminal: at }) =>
    world.shopper(settings === 'leaves' ? { leaves: true } : settings, at),
);

/** The shopper's side of a scenario. Each waits until the screen asks for the act. */
export const shopperVerbs = [
  present('insert', 'The shopper inserts a card'),
  present('tap', 'The shopper taps a card'),
  present('swipe', 'The shopper swipes a card'),
  keyIn,
  remove,
  pullOut,
  pin,
  tip,
  choose,
  press,
  cancel,
  automatic,
];
