import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import { compareBooks } from '../acquirer/books.ts';
import { compareDebitBooks } from '../acquirer/debit-books.ts';
import { ledgerEntrySchema, makeLedgerEntryView } from '../acquirer/ledger-view.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { makeWholeNumberSchema } from '../http/whole-number.ts';
import type { SalesService } from '../sales/service.ts';
import { untoldChargeText, untoldGivenBackText } from '../sales/untold-texts.ts';
import type { Services } from '../services.ts';
import { type Pagination, selectPageLatestFirst, whereEqualIfGiven } from '../store/read-rows.ts';
import type { GatewayStore } from '../store/store.ts';
import { exampleAuthorizationEntry, exampleIds } from './examples.ts';

const line = ledgerEntrySchema
  .extend({
    id: z.string().meta({
      description: 'The identifier of the entry. To get older entries, send this identifier as `before`',
    }),
    payment: z.string().meta({ description: 'The identifier of a terminal payment or a debit' }),
    refund: z.string().nullable().meta({ description: 'The refund to which this entry belongs' }),
  })
  .meta({
    id: 'LedgerLine',
    description: "One entry of the acquirer's ledger, and the payment to which it belongs",
  });

const difference = z
  .object({
    payment: z.string(),
    currency: z.string(),
    reported: z.number().meta({ description: 'The paid amount reported to the POS; 0 for a failure' }),
    moved: z.number().meta({ description: 'The amount that the issuer moved and did not reverse' }),
    authorizations: z.int().meta({
      description:
        'The number of authorizations that have not been reversed. A payment or debit with more than one such authorization is listed as a difference',
    }),
  })
  .meta({ id: 'BookDifference' });

const givenBackDifference = z
  .object({
    payment: z.string(),
    currency: z.string(),
    taken: z.number().meta({ description: 'The amount that the payment took, tip included' }),
    counted: z
      .number()
      .meta({ description: 'The amount that was given back according to the stored payment' }),
    reversed: z.number().meta({ description: 'The sum that the reversals of the payment give back' }),
  })
  .meta({ id: 'GivenBackDifference' });

const debitDifference = difference
  .omit({ payment: true })
  .extend({ debit: z.string(), why: z.string() })
  .meta({ id: 'DebitBookDifference' });

const untold = z
  .object({
    sale: z.string(),
    payment: z.string().meta({ description: "A terminal's payment, reversal or refund, or a debit" }),
    accountId: z.string().nullable(),
    saleReferenceId: z.string().nullable(),
    idempotencyKey: z.string().nullable(),
    amount: z.number().meta({
      description:
        'The amount that the issuer moved and did not reverse or give back; below zero if the issuer gave money back',
    }),
    currency: z.string(),
    concludedAt: z.iso.datetime(),
    calls: z.string().meta({ description: 'The requests of the POS about the sale, each with its result' }),
    why: z.string(),
  })
  .meta({ id: 'UntoldPayment' });

const books = z
  .object({
    agree: z.boolean(),
    payments: z.int().meta({ description: 'The number of concluded payments that were compared' }),
    open: z.int().meta({
      description:
        'The number of payments that have not concluded. For such a payment, the amount that the issuer moved can still differ from the reported amount, so these payments are not compared',
    }),
    differences: z.array(difference).meta({ description: 'The first 100 differences' }),
    givenBack: z.array(givenBackDifference).meta({
      description:
        'Payments that gave back more than they took, or whose `counted` and `reversed` amounts differ. The list has at most 100 payments',
    }),
    debits: z
      .object({
        debits: z.int().meta({ description: 'The number of debits of saved cards that were compared' }),
        refunds: z.int().meta({ description: 'The number of compared refunds of debits of saved cards' }),
        differences: z.array(debitDifference).meta({ description: 'The first 100 differences' }),
      })
      .meta({
        description:
          'The comparison for debits of saved cards and their refunds. Debits and their refunds are compared in the same way as payments',
      }),
    untold: z.array(untold).meta({
      description:
        'Payments, charges, reversals and card refunds that moved money, ended more than 60 seconds ago, and have an outcome that the POS did not receive. The POS receives an outcome in a 200 answer or in an event that the receiver acknowledges. The 200 answer may be to the payment request, to a status request or to a request for the latest payment. The list leaves out sales that pinpad itself made, and sales that began before the journal. The list has at most 100 items. `agree` does not depend on this list',
    }),
  })
  .meta({
    id: 'Books',
    description: 'The amounts that the issuer moved, compared with the amounts that were reported to the POS',
  });
const ledgerQuery = z.object({
  payment: z.string().optional().meta({ description: 'Return only the entries of this payment' }),
  before: z
    .string()
    .optional()
    .meta({ description: 'Return only entries that are older than the entry with this id' }),
  limit: makeWholeNumberSchema(1, 1000)
    .default(100)
    .meta({ description: 'The maximum number of items; 100 by default' }),
});

const exampleLine = {
  id: '01b2f3a4-9001-7000-8000-00000000000b',
  payment: exampleIds.payment,
  refund: null,
  ...exampleAuthorizationEntry,
};

/**
 * Makes the endpoints that show the acquirer's ledger, and whether the ledger agrees with what was reported to the POS
 * (B133–B136).
 */
export function bookEndpoints({ store, sales }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: payments', guard: 'control' });
  return [
    endpoint({
      route: 'GET /control/ledger',
      operationId: 'controlGetLedger',
      summary: "List the acquirer's ledger entries, latest first",
      query: ledgerQuery,
      responses: { 200: describeResponse('Lines', z.array(line), { one: [exampleLine] }) },
      gives: ({ query }) => ledgerLines(store, query),
    }),
    endpoint({
      route: 'GET /control/books',
      operationId: 'controlCompareBooks',
      summary: 'Compare what the issuer moved with what the POS was told',
      description:
        'Once everything has settled, the amounts that the issuer moved must equal the amounts that were reported to the POS.',
      responses: {
        200: describeResponse('The comparison', books, {
          agree: {
            agree: true,
            payments: 12,
            open: 0,
            differences: [],
            givenBack: [],
            debits: { debits: 3, refunds: 1, differences: [] },
            untold: [],
          },
        }),
      },
      gives: async () => ({ ...(await comparison(store)), untold: untoldLines(await sales.untold()) }),
    }),
  ];
}

async function ledgerLines(
  store: GatewayStore,
  { payment, ...page }: Pagination & { payment?: string },
): Promise<z.infer<typeof line>[]> {
  const rows = await store.read((db) => {
    const of = whereEqualIfGiven(db.selectFrom('ledger').selectAll(), { payment_id: payment?.toLowerCase() });
    return selectPageLatestFirst(of, 'id', page).execute();
  });
  return rows.map((row) => ({
    id: row.id,
    payment: row.payment_id,
    refund: row.refund_id,
    ...makeLedgerEntryView(row),
  }));
}

function untoldLines(untold: Awaited<ReturnType<SalesService['untold']>>): z.infer<typeof books>['untold'] {
  return untold.slice(0, 100).map(({ sale, attempt }) => ({
    sale: sale.saleId,
    payment: attempt.payment,
    accountId: sale.accountId,
    saleReferenceId: sale.saleReferenceId,
    idempotencyKey: attempt.idempotencyKey,
    amount: attempt.charged ?? 0,
    currency: sale.currency ?? 'EUR',
    concludedAt: attempt.concludedAt ?? '',
    calls: sale.callsText,
    why: (attempt.charged ?? 0) < 0 ? untoldGivenBackText : untoldChargeText,
  }));
}

async function comparison(store: GatewayStore): Promise<Omit<z.infer<typeof books>, 'untold'>> {
  const { agree, concluded, open, disagreements, givenBack } = await compareBooks(store);
  const debits = await compareDebitBooks(store);
  const ids = disagreements.map(({ paymentId }) => paymentId);
  const rows =
    ids.length === 0
      ? []
      : await store.read((db) =>
          db.selectFrom('payments').select(['id', 'currency']).where('id', 'in', ids).execute(),
        );
  const currencies = new Map(rows.map(({ id, currency }) => [id, currency]));
  return {
    agree: agree && debits.agree,
    payments: concluded,
    open,
    differences: disagreements.map(({ paymentId, reportedAmount, movedAmount, authorizations }) => {
      const currency = currencies.get(paymentId) ?? 'EUR';
      return {
        payment: paymentId,
        currency,
        reported: toMajor(reportedAmount, currency),
        moved: toMajor(movedAmount, currency),
        authorizations,
      };
    }),
    givenBack: givenBack.map(({ paymentId, currency, taken, counted, reversed }) => ({
      payment: paymentId,
      currency,
      taken: toMajor(taken, currency),
      counted: toMajor(counted, currency),
      reversed: toMajor(reversed, currency),
    })),
    debits: {
      debits: debits.debits,
      refunds: debits.refunds,
      differences: debits.disagreements.map(
        ({ debitId, currency, reported, moved, authorizations, why }) => ({
          debit: debitId,
          currency,
          reported: toMajor(reported, currency),
          moved: toMajor(moved, currency),
          authorizations,
          why,
        }),
      ),
    },
  };
}
