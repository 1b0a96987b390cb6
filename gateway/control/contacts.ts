import { z } from 'zod';
import { paymentBrandSchema } from '../../shared/nexo/enums.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { testCards } from '../saved-cards/default/test-cards.ts';
import {
  contactInputSchema,
  contactSchema,
  creditCardChangesSchema,
  creditCardInputSchema,
  creditCardSchema,
  merchantBankAccountInputSchema,
  merchantBankAccountSchema,
} from '../saved-cards/provisioning-schemas.ts';
import { describeTestCardBehaviour } from '../saved-cards/test-cards.ts';
import type { Services } from '../services.ts';
import { accountQuerySchema } from './page-query.ts';

const createdAt = '2026-01-01T09:00:00.000Z';
const exampleCreditCard = {
  id: 'demo-visa',
  contactId: 'demo-customer',
  brand: 'visa',
  maskedNumber: '424242 **** 4242',
  expiry: '1249',
  fingerprint: 'kT0Vd5qgC0mZb2xw',
  testCard: 'visa',
  behaviour: 'approves',
  createdAt,
};
const exampleContact = {
  id: 'demo-customer',
  accountId: 'demo-shop',
  environment: 'sandbox',
  name: 'Robin Example',
  email: 'robin@example.com',
  creditCards: [exampleCreditCard],
  createdAt,
};
const exampleBankAccount = {
  id: 'demo-bank-account',
  accountId: 'demo-shop',
  environment: 'sandbox',
  name: 'Demo Shop, current account',
  maskedNumber: '**** 3000',
  createdAt,
};

const testCardView = z
  .object({
    id: z.string(),
    label: z.string(),
    brand: paymentBrandSchema,
    behaviour: z.string().meta({ description: 'A description of how the card behaves' }),
  })
  .meta({ id: 'SavableTestCard', description: 'A card that can be saved with a contact' });

const contactParams = z.object({ contactId: z.string() });
const cardParams = contactParams.extend({ cardId: z.string() });
const endpoint = makeEndpointDefiner({ tag: 'Control: saved cards', guard: 'control' });

/** Makes the endpoints of contacts with their saved cards, and of the merchant's bank accounts. */
export function contactEndpoints(services: Services): AnyEndpoint[] {
  return [...contactsOnly(services), ...creditCards(services), ...bankAccounts(services)];
}

function contactsOnly({ contacts }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/contacts',
      operationId: 'controlListContacts',
      summary: 'List contacts with their saved cards',
      query: accountQuerySchema,
      responses: { 200: describeResponse('Contacts', z.array(contactSchema), { demo: [exampleContact] }) },
      gives: ({ query }) => contacts.listContacts(query.accountId),
    }),
    endpoint({
      route: 'POST /control/contacts',
      operationId: 'controlCreateContact',
      summary: 'Create a contact',
      description: 'If a contact with this id exists, it is updated instead, and keeps its cards.',
      body: contactInputSchema,
      bodyExamples: { demo: { id: 'demo-customer', accountId: 'demo-shop', name: 'Robin Example' } },
      responses: { 201: describeResponse('The contact', contactSchema, { demo: exampleContact }) },
      errors: ['notFound', 'conflict'],
      gives: ({ body }) => contacts.createContact(body),
    }),
    endpoint({
      route: 'GET /control/contacts/{contactId}',
      operationId: 'controlGetContact',
      summary: 'Get a contact',
      params: contactParams,
      responses: { 200: describeResponse('The contact', contactSchema, { demo: exampleContact }) },
      errors: ['contactNotFound'],
      gives: ({ params }) => contacts.getContact(params.contactId),
    }),
  ];
}

function creditCards({ contacts }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/test-cards',
      operationId: 'controlListTestCards',
      summary: 'List the test cards that can be saved',
      responses: {
        200: describeResponse('Test cards', z.array(testCardView), {
          visa: [{ id: 'visa', label: 'Visa', brand: 'visa', behaviour: 'approves' }],
        }),
      },
      gives: () =>
        testCards.map((card) => ({
          id: card.id,
          label: card.label,
          brand: card.brand,
          behaviour: describeTestCardBehaviour(card),
        })),
    }),
    endpoint({
      route: 'POST /control/contacts/{contactId}/credit-cards',
      operationId: 'controlSaveCreditCard',
      summary: 'Save a test card with a contact',
      description: 'If a card with this id exists, it is updated instead. Its number is not stored.',
      params: contactParams,
      body: creditCardInputSchema,
      bodyExamples: {
        byId: { id: 'demo-visa', card: 'visa' },
        byNumber: { card: '4000 0000 0000 9995', expiry: '1230' },
      },
      responses: { 201: describeResponse('The card', creditCardSchema, { visa: exampleCreditCard }) },
      errors: ['contactNotFound', 'conflict'],
      journaled: 'withoutBodies',
      gives: ({ params, body }) => contacts.createCard(params.contactId, body),
    }),
    endpoint({
      route: 'PATCH /control/contacts/{contactId}/credit-cards/{cardId}',
      operationId: 'controlUpdateCreditCard',
      summary: 'Make a saved card behave like another test card',
      description:
        'For example, a card that worked is declined or expires from now on. Earlier debits stay as they are.',
      params: cardParams,
      body: creditCardChangesSchema,
      bodyExamples: { declines: { card: 'insufficient-funds' }, runsOut: { expiry: '0126' } },
      responses: { 200: describeResponse('The card', creditCardSchema, { visa: exampleCreditCard }) },
      errors: ['creditCardNotFound'],
      journaled: 'withoutBodies',
      gives: ({ params, body }) => contacts.updateCard(params.contactId, params.cardId, body),
    }),
  ];
}

function bankAccounts({ contacts }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/bank-accounts',
      operationId: 'controlListBankAccounts',
      summary: "List the merchants' bank accounts",
      query: accountQuerySchema,
      responses: {
        200: describeResponse('Bank accounts', z.array(merchantBankAccountSchema), {
          demo: [exampleBankAccount],
        }),
      },
      gives: ({ query }) => contacts.listBankAccounts(query.accountId),
    }),
    endpoint({
      route: 'POST /control/bank-accounts',
      operationId: 'controlCreateBankAccount',
      summary: 'Create a bank account',
      description: 'If a bank account with this id exists, it is updated instead.',
      body: merchantBankAccountInputSchema,
      bodyExamples: {
        demo: { id: 'demo-bank-account', accountId: 'demo-shop', name: 'Demo Shop, current account' },
      },
      responses: {
        201: describeResponse('The bank account', merchantBankAccountSchema, { demo: exampleBankAccount }),
      },
      errors: ['notFound', 'conflict'],
      journaled: 'withoutBodies',
      gives: ({ body }) => contacts.createBankAccount(body),
    }),
  ];
}
