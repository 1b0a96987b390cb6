import { z } from 'zod';
import { entryModeSchema } from '../nexo/enums.ts';

/** The keys of a terminal. `1`–`4` select the choice beside them. Cancel is red, clear is yellow, enter is green. */
export const terminalKeys = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  'cancel',
  'clear',
  'enter',
  'power',
] as const;
export const terminalKeySchema = z.enum(terminalKeys);
export type TerminalKey = z.infer<typeof terminalKeySchema>;

/** The languages of screens and receipts (B20). For any other language, English is used. */
export const languages = ['en', 'fr', 'de', 'es', 'it', 'nl'] as const;
export type Language = (typeof languages)[number];

export function languageOrEnglish(code: string | undefined): Language {
  return languages.find((language) => language === code) ?? 'en';
}

/** The states of a terminal. Their names are words that a person would use. */
export const screenStates = [
  'off',
  'starting',
  'idle',
  'offline',
  'displaced',
  'tip',
  'customTip',
  'presentCard',
  'readingCard',
  'keyedNumber',
  'keyedExpiry',
  'insertInstead',
  'chipUnreadable',
  'swipeInstead',
  'cardUnreadable',
  'cardNotAccepted',
  'applicationChoice',
  'pin',
  'pinWrong',
  'authorizing',
  'approved',
  'declined',
  'cancelled',
  'removeCard',
  'printing',
] as const;
export const screenStateSchema = z.enum(screenStates);
export type ScreenState = z.infer<typeof screenStateSchema>;

/**
 * The two ways to give money back: a refund to a card that is presented, or a reversal of an earlier payment, for which
 * no card is presented.
 */
const givesBack = z.enum(['refund', 'reversal']);
export type GiveBackKind = z.infer<typeof givesBack>;

/**
 * One of the numbered choices of a screen. On a screen that asks for a tip, `row` and `column` give the place of the
 * choice on the screen (B23).
 */
const choice = z.object({
  key: terminalKeySchema,
  label: z.string(),
  row: z.int().min(0),
  column: z.int().min(0),
});
export type ScreenChoice = z.infer<typeof choice>;

/** The state of a real card reader that belongs to a terminal. */
const connectedReader = z
  .object({
    name: z
      .string()
      .meta({ description: "The reader's name, as given at the start, for example pn532:/dev/ttyUSB0" }),
    ready: z.boolean().meta({
      description:
        'Whether the reader answers. The keys and the tray work even if the reader does not answer',
    }),
    line: z.string().meta({
      description: 'A text that says which device answers or, if no device answers, what to do',
    }),
  })
  .meta({ id: 'ConnectedReader', description: 'The state of a real card reader of a terminal' });
export type ConnectedReader = z.infer<typeof connectedReader>;

/** A terminal's screen as data. The text UI draws it, the control API returns it, and scenarios check it. */
export const screenSchema = z
  .object({
    state: screenStateSchema,
    language: z.enum(languages),
    title: z.string(),
    lines: z.array(z.string()),
    /** The amount to pay or to give back, formatted; absent if the terminal has no payment. */
    amount: z.string().optional(),
    /** How the amount is given back; absent if the amount is to be paid. */
    givesBack: givesBack.optional(),
    choices: z.array(choice),
    /** The text typed so far, in a form that may be shown: a PIN is shown as stars, a card number is masked. */
    input: z.object({ label: z.string(), text: z.string() }).optional(),
    /** The keys that have an effect now. */
    keys: z.array(terminalKeySchema),
    /** The ways in which a card can be presented now: insert, tap, swipe, type. */
    entries: z.array(entryModeSchema),
    tone: z.enum(['neutral', 'prompt', 'success', 'error']),
    lamps: z.object({
      power: z.boolean(),
      network: z.boolean(),
      /** How many of the four contactless lamps are lit. */
      contactless: z.int().min(0).max(4),
      chip: z.boolean(),
    }),
    /** The card that sits in the slot. */
    card: z.object({ id: z.string(), label: z.string() }).optional(),
    /** The real readers beside the slot; absent if there are none. */
    readers: z.array(connectedReader).optional(),
  })
  .meta({ id: 'Screen', description: "A terminal's screen as data" });
export type Screen = z.infer<typeof screenSchema>;
