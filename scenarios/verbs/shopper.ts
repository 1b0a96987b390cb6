import { z } from 'zod';
import { automaticShopperSchema as shopperSettings } from '../../shared/emulator/frames.ts';
import { loneVerbValueSchema, terminalNameSchema } from '../format/values.ts';
import { defineVerb, type Verb } from './verb.ts';

const card = z.string().meta({ description: 'A card of the tray, by its id' });
const unasked = z
  .boolean()
  .optional()
  .meta({ description: 'true: act at once, without waiting until the screen asks for this action' });

function present<Way extends 'insert' | 'tap' | 'swipe'>(way: Way, description: string): Verb {
  return defineVerb(
    way,
    description,
    { [way]: card, terminal: terminalNameSchema, unasked },
    (actors, step) =>
      actors.actions(step.terminal as string | undefined)[way](String(step[way]), {
        unasked: step.unasked as boolean | undefined,
      }),
  );
}

/** This message has no example, because pinpad masks every card number that it prints. */
const cardAndExpiry = 'must be the 12 to 19 digits of a card number, a space, and the expiry as MMYY';

const keyIn = defineVerb(
  'key in',
  "A card's number and expiry (MMYY) are typed at the terminal",
  {
    'key in': z.string(cardAndExpiry).regex(/^\d{12,19} \d{4}$/, cardAndExpiry),
    terminal: terminalNameSchema,
  },
  ({ actions }, { 'key in': typed, terminal: at }) => {
    const [number = '', expiry = ''] = typed.split(' ');
    return actions(at).keyIn(number, expiry);
  },
);

const remove = defineVerb(
  'remove',
  'The shopper removes the card when the terminal asks to remove it',
  { remove: loneVerbValueSchema, terminal: terminalNameSchema },
  ({ actions }, { terminal: at }) => actions(at).remove(),
);

const pullOut = defineVerb(
  'pull out',
  'The shopper pulls the card out at once, in any state of the terminal',
  { 'pull out': loneVerbValueSchema, terminal: terminalNameSchema },
  ({ actions }, { terminal: at }) => actions(at).pullOut(),
);

const pinForms = 'must be `right`, `wrong`, or 4 to 6 digits in quotes, such as pin: "1234"';

const pin = defineVerb(
  'pin',
  'The shopper types a PIN: `right`, `wrong`, or the digits in quotes',
  {
    // If a text has neither of the two forms, zod reports the message of the second form.
    pin: z.union([z.enum(['right', 'wrong']), z.string().regex(/^\d{4,6}$/, pinForms)], {
      error: pinForms,
    }),
    terminal: terminalNameSchema,
  },
  ({ actions }, { pin: typed, terminal: at }) => actions(at).pin(typed),
);

const tip = defineVerb(
  'tip',
  'The shopper chooses a tip',
  {
    tip: z.union([z.string(), z.number(), z.strictObject({ custom: z.number() })]).meta({
      description: 'The text of the choice (15%, none), the key beside it, or { custom: amount }',
    }),
    terminal: terminalNameSchema,
  },
  ({ actions }, { tip: choice, terminal: at }) => actions(at).tip(choice),
);

const choose = defineVerb(
  'choose',
  'The shopper chooses the application of a co-badged card; the value is the label or the key of the choice',
  { choose: z.union([z.string(), z.number()]), terminal: terminalNameSchema },
  ({ actions }, { choose: choice, terminal: at }) => actions(at).choose(String(choice)),
);

const press = defineVerb(
  'press',
  'The shopper presses keys',
  {
    press: z.union([z.string(), z.number()]).meta({ description: 'Keys, e.g. 1 2 3 enter' }),
    terminal: terminalNameSchema,
    unasked,
  },
  ({ actions }, { press: keys, terminal: at, unasked: now }) =>
    actions(at).press(String(keys).split(' '), { unasked: now }),
);

const cancel = defineVerb(
  'cancel',
  'The shopper presses the red key',
  { cancel: loneVerbValueSchema, terminal: terminalNameSchema },
  ({ actions }, { terminal: at }) => actions(at).cancel(),
);

const automatic = defineVerb(
  'shopper',
  'From now on an automatic shopper makes every payment. With `leaves`, there is no shopper from now on',
  {
    shopper: z.union([
      z.literal('leaves'),
      z.strictObject(shopperSettings.shape).partial({ tip: true, thinkMs: true }),
    ]),
    terminal: terminalNameSchema,
  },
  ({ world }, { shopper: settings, terminal: at }) =>
    world.shopper(settings === 'leaves' ? { leaves: true } : settings, at),
);

/** The verbs for the shopper. Each step waits until the screen asks for the shopper's action. */
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
