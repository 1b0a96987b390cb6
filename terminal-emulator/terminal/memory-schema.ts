import type { Generated } from 'kysely';
import { preparedFor } from '../../shared/database/prepared.ts';
import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';

export type ReversalReason = Extract<AcquirerRequest, { Type: 'Reverse' }>['Reason'];

/** The tables of a memory file (migrations/). Every key begins with the terminal. */
export interface Schema {
  /** The payment a terminal works on, at most one. `authorizing`: the host may have been asked. */
  under_way: {
    poi_id: string;
    service_id: string;
    sale: string;
    phase: 'begun' | 'authorizing';
    payment_result: string | null;
    /** The last attempt at the host (B134). */
    attempt_id: string | null;
  };
  outcome: {
    poi_id: string;
    service_id: string;
    at: number;
    transaction_id: string;
    response: string;
    /** How often the gateway refused it as unreadable (B67). */
    refusals: Generated<number>;
  };
  /** Outcomes the gateway has not acknowledged. */
  undelivered: { poi_id: string; service_id: string };
  /** Reversals the host has not answered; of an attempt, which those of version 0.1.0 do not name. */
  reversal: {
    poi_id: string;
    transaction_id: string;
    reason: ReversalReason;
    attempt_id: string | null;
    refusals: Generated<number>;
  };
}

const prepared = preparedFor<Schema>();
type Text<Name extends string> = (name: Name) => string;

export const selectOutcome = prepared((db, arg: (name: 'poiId' | 'serviceId' | 'oldest') => never) =>
  db
    .selectFrom('outcome')
    .select(['response', 'refusals'])
    .where('poi_id', '=', arg('poiId'))
    .where('service_id', '=', arg('serviceId'))
    .where('at', '>', arg('oldest')),
);

export const selectUnderWay = prepared((db, arg: Text<'poiId'>) =>
  db.selectFrom('under_way').selectAll().where('poi_id', '=', arg('poiId')),
);

export const replaceUnderWay = prepared((db, arg: Text<'poiId' | 'serviceId' | 'sale'>) =>
  db.replaceInto('under_way').values({
    poi_id: arg('poiId'),
    service_id: arg('serviceId'),
    sale: arg('sale'),
    phase: 'begun',
    payment_result: null,
    attempt_id: null,
  }),
);

export const updateToAuthorizing = prepared((db, arg: Text<'poiId' | 'attemptId' | 'paymentResult'>) =>
  db
    .updateTable('under_way')
    .set({ phase: 'authorizing', payment_result: arg('paymentResult'), attempt_id: arg('attemptId') })
    .where('poi_id', '=', arg('poiId')),
);

export const deleteUnderWay = prepared((db, arg: Text<'poiId' | 'serviceId'>) =>
  db.deleteFrom('under_way').where('poi_id', '=', arg('poiId')).where('service_id', '=', arg('serviceId')),
);

export const replaceOutcome = prepared(
  (db, arg: (name: 'poiId' | 'serviceId' | 'at' | 'transactionId' | 'response') => never) =>
    db.replaceInto('outcome').values({
      poi_id: arg('poiId'),
      service_id: arg('serviceId'),
      at: arg('at'),
      transaction_id: arg('transactionId'),
      response: arg('response'),
    }),
);

export const replaceUndelivered = prepared((db, arg: Text<'poiId' | 'serviceId'>) =>
  db.replaceInto('undelivered').values({ poi_id: arg('poiId'), service_id: arg('serviceId') }),
);

export const deleteUndelivered = prepared((db, arg: Text<'poiId' | 'serviceId'>) =>
  db.deleteFrom('undelivered').where('poi_id', '=', arg('poiId')).where('service_id', '=', arg('serviceId')),
);
