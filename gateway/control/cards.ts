import { z } from 'zod';
import { type CardSummary, cardSummarySchema, testCardSchema } from '../../shared/emulator/cards.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import type { ParkableCall } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { commandAllEmulators, requireConnectedEmulator, type TerminalCommand } from './emulators.ts';
import { exampleCard } from './examples.ts';

/**
 * Makes the endpoints of test cards. Every emulator has its own tray of cards. A request adds or resets cards at all
 * emulators.
 */
export function cardEndpoints({ emulators }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: cards', guard: 'control' });
  const atEach = async (call: ParkableCall, command: TerminalCommand) => {
    await requireConnectedEmulator(emulators);
    return commandAllEmulators(emulators, command, call);
  };
  const tray = async (call: ParkableCall): Promise<CardSummary[]> => {
    const cards = new Map<string, CardSummary>();
    for (const answer of await atEach(call, { do: 'cards' }))
      for (const summary of answer.cards ?? []) if (!cards.has(summary.id)) cards.set(summary.id, summary);
    return [...cards.values()];
  };
  const oneOf = async (call: ParkableCall, id: string) =>
    (await tray(call)).find((summary) => summary.id === id);
  return [
    endpoint({
      route: 'GET /control/cards',
      operationId: 'controlListCards',
      summary: 'List the test cards of the tray',
      // The answer contains PINs of the cards.
      journaled: 'withoutBodies',
      responses: { 200: describeResponse('The cards', z.array(cardSummarySchema), { visa: [exampleCard] }) },
      errors: ['conflict', 'terminalUnreachable'],
      gives: (call) => tray(call),
    }),
    endpoint({
      route: 'POST /control/cards',
      operationId: 'controlAddCard',
      summary: 'Add a test card',
      description:
        'The card stays until the emulator stops. Its number must be from a published test range, and is shown nowhere.',
      body: testCardSchema.meta({ id: 'NewCard', description: 'A test card as data' }),
      bodyExamples: { declining: exampleNewCard },
      journaled: 'withoutBodies',
      responses: { 200: describeResponse('The card', cardSummarySchema, { visa: exampleCard }) },
      errors: ['conflict', 'terminalUnreachable'],
      gives: async (call) => {
        await atEach(call, { do: 'addCard', card: call.body });
        return oneOf(call, call.body.id);
      },
    }),
    endpoint({
      route: 'POST /control/cards/{cardId}/reset',
      operationId: 'controlResetCard',
      summary: 'Reset a card',
      description:
        'A card that was blocked by three wrong PINs works again. For a card that a real reader has read, use the name in the journal: `reader-` and the fingerprint of the card.',
      params: z.object({ cardId: z.string() }),
      journaled: 'withoutBodies',
      responses: {
        200: describeResponse('The card', cardSummarySchema, { visa: exampleCard }),
        204: {
          description:
            'The card was reset. If the card comes from a real reader, the answer does not describe it, because it is not in the tray',
        },
      },
      errors: ['notFound', 'conflict', 'terminalUnreachable'],
      handle: async (call) => {
        const action = { action: 'resetCard', card: call.params.cardId } as const;
        await atEach(call, { do: 'act', action });
        const body = await oneOf(call, call.params.cardId);
        return body ? { status: 200, body } : { status: 204 };
      },
    }),
  ];
}

const exampleNewCard = {
  id: 'my-declining-visa',
  label: 'My Visa, declines',
  number: '4000000000000002',
  expiry: '1230',
  country: '528',
  funding: 'credit',
  applications: [{ aid: 'A0000000031010', label: 'Visa Credit', brand: 'visa' }],
  pin: '1234',
  chip: { verification: 'offlinePin' },
  host: { errorCondition: 'Refusal', refusalReason: '210 Not enough balance', message: 'NOT_ENOUGH_BALANCE' },
};
