import { z } from 'zod';
import {
  accountChangesSchema,
  accountInputSchema,
  accountSchema,
  createdTokenSchema,
  tokenInputSchema,
  tokenSchema,
} from '../accounts/schemas.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import { exampleAccount, exampleToken } from './examples.ts';

const accountParams = z.object({ accountId: z.string() });

/** Makes the endpoints of accounts and their API tokens. */
export function accountEndpoints({ accounts, tokens, moments }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: provisioning', guard: 'control' });
  return [
    endpoint({
      route: 'GET /control/accounts',
      operationId: 'controlListAccounts',
      summary: 'List accounts',
      responses: {
        200: describeResponse('All accounts', z.array(accountSchema), { demo: [exampleAccount] }),
      },
      gives: () => accounts.listAccounts(),
    }),
    endpoint({
      route: 'POST /control/accounts',
      operationId: 'controlCreateAccount',
      summary: 'Create an account',
      description: 'If an account with this id exists, it is updated instead, so the call can be repeated.',
      body: accountInputSchema,
      bodyExamples: { demo: { id: 'demo-shop', name: 'Demo Shop', currency: 'EUR' } },
      responses: { 201: describeResponse('The account', accountSchema, { demo: exampleAccount }) },
      gives: ({ body }) => accounts.createAccount(body),
    }),
    endpoint({
      route: 'PATCH /control/accounts/{accountId}',
      operationId: 'controlUpdateAccount',
      summary: 'Change an account',
      description: 'Changes settings of the account, for example `transactionLimit` or `magicAmounts`.',
      params: accountParams,
      body: accountChangesSchema,
      bodyExamples: { noMagic: { magicAmounts: false } },
      responses: { 200: describeResponse('The account', accountSchema, { demo: exampleAccount }) },
      errors: ['notFound'],
      gives: ({ params, body }) => accounts.updateAccount(params.accountId, body),
    }),
    endpoint({
      route: 'GET /control/accounts/{accountId}/tokens',
      operationId: 'controlListTokens',
      summary: "List an account's API tokens",
      params: accountParams,
      responses: {
        200: describeResponse("The account's tokens", z.array(tokenSchema), { demo: [exampleToken] }),
      },
      errors: ['notFound'],
      gives: async ({ params }) => {
        accounts.account(params.accountId);
        return tokens.listTokens(params.accountId);
      },
    }),
    endpoint({
      route: 'POST /control/tokens',
      operationId: 'controlCreateToken',
      summary: 'Create an API token',
      description: 'Only this answer shows the token; the gateway stores its hash.',
      body: tokenInputSchema,
      bodyExamples: {
        sandbox: { accountId: 'demo-shop', label: 'pos 1' },
        production: { accountId: 'demo-shop', environment: 'production' },
      },
      responses: {
        201: describeResponse('The token', createdTokenSchema, {
          demo: { ...exampleToken, token: 'test_BTsIkgCgmEaR3mOZ8w4bU5HcfVFbMv0r8dJqPa1yT2s' },
        }),
      },
      errors: ['notFound', 'conflict'],
      journaled: 'withoutBodies',
      gives: async ({ body }) => {
        if (body.environment === 'production') refuseWhereACrashIsSet(moments);
        return tokens.createToken(body);
      },
    }),
    endpoint({
      route: 'DELETE /control/tokens/{tokenId}',
      operationId: 'controlRevokeToken',
      summary: 'Revoke an API token',
      params: z.object({ tokenId: z.string() }),
      responses: {
        200: describeResponse('The token, revoked', tokenSchema, {
          revoked: { ...exampleToken, revokedAt: '2026-01-02T09:00:00.000Z' },
        }),
      },
      errors: ['notFound'],
      gives: ({ params }) => tokens.revokeToken(params.tokenId),
    }),
  ];
}

/**
 * Refuses to make a production token while a test has planned a crash. A crash affects all accounts of the gateway,
 * and payments with a production token count as real (B283).
 */
function refuseWhereACrashIsSet({ plans }: Services['moments']): void {
  const crash = plans.list().find(({ action }) => action === 'crash');
  if (crash)
    throw new ApiError('conflict', {
      message: `A crash is set at ${crash.moment}, for the whole gateway: clear this crash first (DELETE /control/moments/${crash.moment})`,
    });
}
