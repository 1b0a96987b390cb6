import { z } from 'zod';

/** The largest number that a database can count. */
const mostTimes = 2_147_483_647;

/**
 * The aim of a fault: whose requests or events it affects, how many it lets through first, and how many it then affects
 * (B212).
 */
const counted = {
  accountId: z
    .string()
    .optional()
    .meta({ description: 'Only requests with tokens of this account, or its events' }),
  after: z
    .int()
    .min(0)
    .max(mostTimes)
    .default(0)
    .meta({ description: 'How many requests or events it lets through first' }),
  times: z
    .int()
    .min(1)
    .max(mostTimes)
    .nullable()
    .default(1)
    .meta({ description: 'How many requests or events it affects; null for all until it is cleared' }),
};

/** Which requests a fault is for. */
export const requestAim = {
  method: z
    .enum(['GET', 'POST', 'PUT'])
    .optional()
    .meta({ description: 'Affects requests with this method; any by default' }),
  path: z
    .string()
    .regex(/^\/(?!control(\/|$))[^?#]*$/, 'must be a path outside /control, without a query')
    .max(300)
    .optional()
    .meta({
      description: 'Affects requests to this path, where {name} matches any one segment; any by default',
      example: '/terminals/{terminalId}/payment-request',
    }),
  asks: z.enum(['payment', 'reversal', 'refund', 'status', 'abort']).optional().meta({
    description: 'Affects requests of another API (docs/adyen.md) that ask for this; any by default',
  }),
  ...counted,
};

/** Which events on their way to webhooks a fault is for. */
export const eventAim = {
  endpointId: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Affects events on their way to the webhook with this id; any by default' }),
  ...counted,
};

/** A request that faults may be set for. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly accountId: string | undefined;
  /** The kind of request, if it belongs to another API. */
  readonly asks: string | undefined;
}

/** An event on its way to a webhook, which faults may be set for. */
export interface EventToSend {
  readonly accountId: string;
  readonly endpointId: string;
}

export function isForRequest(set: Partial<Request>, { method, path, accountId, asks }: Request): boolean {
  return (
    (set.method === undefined || set.method === method) &&
    (set.accountId === undefined || set.accountId === accountId) &&
    (set.asks === undefined || set.asks === asks) &&
    (set.path === undefined || isLike(set.path, path))
  );
}

export function isForEvent(set: Partial<EventToSend>, { accountId, endpointId }: EventToSend): boolean {
  return (
    (set.accountId === undefined || set.accountId === accountId) &&
    (set.endpointId === undefined || set.endpointId === endpointId)
  );
}

function isLike(pattern: string, path: string): boolean {
  const [wanted, segments] = [pattern.split('/'), (path.split('?')[0] ?? '').split('/')];
  return (
    wanted.length === segments.length &&
    wanted.every((part, index) => /^\{\w+\}$/.test(part) || part === segments[index])
  );
}
