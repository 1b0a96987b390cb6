import { type AccountConfig, accountConfigSchema } from './account-config.ts';

/**
 * The accounts that are used if the configuration names none. There is one account, with two terminals and a customer
 * with saved cards.
 */
export const demoAccounts: AccountConfig[] = [
  accountConfigSchema.parse({
    name: 'Demo Shop',
    stores: [
      {
        name: 'Demo Shop',
        address: '1 Market Street',
        terminals: [{ poiId: 'V400m-100000001' }, { poiId: 'P400-100000002' }],
      },
    ],
    cardOnFile: true,
    contacts: [
      {
        id: 'demo-customer',
        name: 'Robin Example',
        email: 'robin@example.com',
        cards: [
          { id: 'demo-visa', card: 'visa' },
          { id: 'demo-mastercard', card: 'mastercard' },
          { id: 'demo-insufficient-funds', card: 'insufficient-funds' },
          { id: 'demo-fails-at-capture', card: 'fails-at-capture' },
          { id: 'demo-refund-fails-later', card: 'refund-fails-later' },
        ],
      },
    ],
    bankAccounts: [
      { id: 'demo-bank-account', name: 'Demo Shop, current account', number: 'DE89370400440532013000' },
    ],
    securityQuestion: { question: 'What is sold at the demo shop? (coffee)', answer: 'coffee' },
  }),
];
