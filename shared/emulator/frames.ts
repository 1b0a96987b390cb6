import { z } from 'zod';
import { momentNameSchema, momentPlanSchema, planFilterSchema } from '../moment-plans.ts';
import { entryModeSchema } from '../nexo/enums.ts';
import { cardSummarySchema } from './cards.ts';
import { screenSchema, screenStateSchema, terminalKeySchema } from './screen.ts';

/** A pattern in which a network fails. The network goes down `times` times, and is up in between and at the end. */
export const networkFlappingSchema = z
  .object({
    times: z.int().min(1).max(100),
    downMs: z.int().min(1).max(600_000),
    upMs: z.int().min(1).max(600_000),
  })
  .meta({
    id: 'Flapping',
    description:
      'The network goes down at once for `downMs` and then comes up for `upMs`. `times` says how often this happens',
  });
export type NetworkFlapping = z.infer<typeof networkFlappingSchema>;

/**
 * The maximum delay that can be set for each direction, in milliseconds. If the delay is more than half of
 * `acknowledgeMs`, the link breaks again and again.
 */
export const longestLatencyMs = 60_000;

/**
 * The steps of a payment at which a power cut can be planned. All of them lie between the payment's approval and its
 * answer (B171).
 */
export const powerCutMoments = ['approvalReceived', 'resultStored'] as const;

export const powerCutSchema = z
  .object({
    at: z.enum(powerCutMoments).meta({
      description:
        'approvalReceived: the host has approved, but the terminal has not stored the approval. Once the terminal has power again, it reverses the payment. ' +
        'resultStored: the terminal has stored the approval, but not sent it. Once the terminal has power again, it sends the approval.',
    }),
    mode: z.enum(['once', 'always']).default('once').meta({
      description:
        'once: the cut happens at the next payment that reaches this moment; always: the cut happens at every such payment, until the cut is cleared',
    }),
  })
  .meta({ id: 'PowerCut', description: 'A power cut at a named moment of a payment' });
export type PowerCut = z.infer<typeof powerCutSchema>;

/** Everything a shopper, an operator or a fault can do to a terminal. */
const terminalAction = z.discriminatedUnion('action', [
  z.object({ action: z.literal('insert'), card: z.string() }),
  z.object({ action: z.literal('tap'), card: z.string() }),
  z.object({ action: z.literal('swipe'), card: z.string() }),
  /** The shopper or the operator types the card's number and expiry on the keys. */
  z.object({ action: z.literal('keyIn'), card: z.string() }),
  z.object({ action: z.literal('remove') }),
  z.object({ action: z.literal('press'), keys: z.array(terminalKeySchema).min(1).max(64) }),
  z.object({ action: z.literal('power'), on: z.boolean() }),
  z.object({ action: z.literal('planCut'), cut: powerCutSchema.nullable() }),
  z.object({ action: z.literal('network'), up: z.boolean() }),
  z.object({ action: z.literal('slow'), latencyMs: z.int().min(0).max(longestLatencyMs) }),
  networkFlappingSchema.extend({ action: z.literal('flap') }),
  z.object({ action: z.literal('resetCard'), card: z.string() }),
]);
export type TerminalAction = z.infer<typeof terminalAction>;

/** An action of the shopper at one screen, in place of the shopper's usual action at that screen. */
const shopperDeed = z
  .discriminatedUnion('does', [
    z.object({ does: z.literal('leaves') }),
    z.object({ does: z.literal('pullsCard') }),
    z.object({ does: z.literal('waits'), ms: z.int().min(0).max(300_000) }),
  ])
  .meta({
    id: 'ShopperDeed',
    description:
      'leaves: the shopper goes away, and does nothing from then on; pullsCard: the shopper takes the card out; waits: the shopper answers after this time',
  });

/**
 * The behaviour of an automatic shopper. The shopper acts whenever a payment needs it. Without an automatic shopper, a
 * person or a call of the API has to act.
 */
export const automaticShopperSchema = z
  .object({
    card: z.string(),
    entry: entryModeSchema,
    /** The key that the shopper presses to choose a tip, or `none`. */
    tip: z.enum(['1', '2', '3', 'none']).default('none'),
    /** The PIN that the shopper types at every prompt. If it is absent, the shopper types the card's own PIN. */
    pin: z
      .string()
      .regex(/^\d{4,6}$/)
      .optional(),
    /** The pause before each action, in milliseconds. */
    thinkMs: z.int().min(0).max(300_000).default(0),
    at: z.partialRecord(screenStateSchema, shopperDeed).optional().meta({
      description: 'For each named screen, what the shopper does there instead of the usual action',
    }),
  })
  .meta({
    id: 'Shopper',
    description: 'The behaviour of an automatic shopper at each question of a payment',
  });
export type AutomaticShopperSettings = z.infer<typeof automaticShopperSchema>;

/**
 * There is no shopper at the terminal. The terminal gets no answer to its questions, so each question ends at the
 * terminal's time limit.
 */
const absentShopper = z.object({ leaves: z.literal(true) }).meta({ id: 'AbsentShopper' });

/** The setting for the shopper at a terminal. If there is no setting, a person or a client of the API acts. */
export const shopperSettingSchema = z.union([automaticShopperSchema, absentShopper]);
export type ShopperSetting = z.infer<typeof shopperSettingSchema>;

/** The refusal of an action, for example because the slot is taken, there is no such card, or the power is off. */
export interface ActionRefusal {
  code: 'unknownTerminal' | 'unknownCard' | 'notPossible';
  message: string;
}

/**
 * The latest time that a JavaScript date can have, in milliseconds (ECMA-262 §21.4.1.1). A later time cannot be
 * formatted.
 */
const latestMoment = 8.64e15;

const receiptLine = z.object({ text: z.string(), bold: z.boolean() });
/** A printed receipt in the tray. Its lines have at most 32 columns. */
export const printedReceiptSchema = z
  .object({
    copy: z.enum(['cashierReceipt', 'customerReceipt']),
    transactionId: z.string(),
    lines: z.array(receiptLine),
  })
  .meta({ id: 'PrintedReceipt', description: 'A receipt that a terminal printed' });
export type PrintedReceipt = z.infer<typeof printedReceiptSchema>;

/**
 * The messages that the gateway sends over /emulator. Each message is a command with a number, and gets an answer with
 * the same number.
 */
export const emulatorCommandSchema = z.object({
  id: z.int(),
  poiId: z.string(),
  command: z.discriminatedUnion('do', [
    z.object({ do: z.literal('act'), action: terminalAction }),
    z.object({ do: z.literal('shopper'), shopper: shopperSettingSchema.nullable() }),
    /**
     * Asks the emulator to send the present screens of all its terminals now, and every later screen when it appears.
     */
    z.object({ do: z.literal('showScreens') }),
    /**
     * Asks the emulator not to send its journal entries yet, except the entries that a log shows. The gateway sends
     * this command if nothing reads the gateway's journal and the emulator has sent many entries.
     */
    z.object({ do: z.literal('keepJournal') }),
    /**
     * Says that something reads the gateway's journal. The emulator sends the entries that it kept back, and then
     * answers. From then on, the emulator keeps no entries back.
     */
    z.object({ do: z.literal('showJournal') }),
    z.object({ do: z.literal('setMoment'), plan: momentPlanSchema }),
    z.object({ do: z.literal('clearMoments'), which: planFilterSchema }),
    /**
     * Asks the emulator for the faults that are planned for steps of payments (moments), and for the terminals that are
     * paused at such a step.
     */
    z.object({ do: z.literal('moments') }),
    /** Ends every pause. */
    z.object({ do: z.literal('continue') }),
    z.object({ do: z.literal('receipts') }),
    z.object({ do: z.literal('cards') }),
    z.object({ do: z.literal('addCard'), card: z.unknown() }),
  ]),
});
export type EmulatorCommand = z.infer<typeof emulatorCommandSchema>;

export const emulatorFrameSchema = z.discriminatedUnion('type', [
  /**
   * The first messages of an emulator: its terminals, each with its device key. A long list is sent in several
   * messages. The emulator opens the link with the headers that any one of these terminals sends to /poi.
   */
  z.object({
    type: z.literal('hello'),
    terminals: z.array(z.object({ poiId: z.string(), deviceKey: z.string() })),
    /** Whether the emulator has a journal of its own, and understands `keepJournal` and `showJournal`. */
    keepsJournal: z.boolean().optional(),
    /** Whether the emulator understands `setMoment`, `clearMoments`, `moments` and `continue`. */
    knowsMoments: z.boolean().optional(),
  }),
  z.object({ type: z.literal('screen'), poiId: z.string(), screen: screenSchema }),
  z.object({
    type: z.literal('answer'),
    id: z.int(),
    error: z
      .object({ code: z.enum(['unknownTerminal', 'unknownCard', 'notPossible']), message: z.string() })
      .optional(),
    receipts: z.array(printedReceiptSchema).optional(),
    cards: z.array(cardSummarySchema).optional(),
    moments: z.array(momentPlanSchema).optional(),
    paused: z.array(z.object({ terminal: z.string(), at: momentNameSchema })).optional(),
  }),
  /**
   * Entries about terminals, from the journal of the emulator's process. `data` is the data of an entry as JSON text.
   */
  z.object({
    type: z.literal('journal'),
    entries: z.array(
      z.object({
        at: z.number().min(0).max(latestMoment),
        kind: z
          .string()
          .max(60)
          .regex(/^(terminal|reader|link|message)\.[A-Za-z]+$|^warning$/),
        terminal: z.string().max(100).optional(),
        payment: z.string().max(100).optional(),
        data: z.string(),
      }),
    ),
  }),
]);
export type EmulatorFrame = z.infer<typeof emulatorFrameSchema>;
