import { z } from 'zod';
import {
  account,
  accountChanges,
  accountInput,
  createdToken,
  token,
  tokenInput,
} from '../accounts/schemas.ts';
import { type AnyEndpoint, endpoint } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import { exampleAccount, exampleToken } from './examples.ts';

const accountParams = z.object({ accountId: z.string() });

/** Accounts and their API tokens. */
export function accountEndpoints({
  accounts,
  tokens,
  moments,
}: Pick<Services, 'accounts' | 'tokens' | 'moments'>): AnyEndpoint[] {
  const common = { tag: 'Control: provisioning', guard: 'control' } as const;
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/control/accounts',
      operationId: 'controlListAccounts',
      summary: 'List accounts',
      responses: {
        200: { description: 'All accounts', schema: z.array(account), examples: { demo: [exampleAccount] } },
      },
      handle: async () => ({ status: 200, body: accounts.listAccounts() }),
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/control/accounts',
      operationId: 'controlCreateAccount',
      summary: 'Create an account',
      description:
        'An account of the same id is brought to what is given instead, so that doing it twice does no harm.',
      body: accountInput,
      bodyExamples: { demo: { id: 'demo-shop', name: 'Demo Shop', currency: 'EUR' } },
      responses: {
        201: { description: 'The account', schema: account, examples: { demo: exampleAccount } },
      },
      handle: async ({ body }) => ({ status: 201, body: await accounts.createAccount(body) }),
    }),
    endpoint({
      ...common,
      method: 'patch',
      path: '/control/accounts/{accountId}',
      operationId: 'controlUpdateAccount',
      summary: 'Change an account',
      description: 'Such as its transaction limit, or whether amounts choose outcomes.',
      params: accountParams,
      body: accountChanges,
      bodyExamples: { noMagic: { magicAmounts: false } },
      responses: {
        200: { description: 'The account', schema: account, examples: { demo: exampleAccount } },
      },
      errors: ['notFound'],
      handle: async ({ params, body }) => ({
        status: 200,
        body: await accounts.updateAccount(params.accountId, body),
      }),
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/control/accounts/{accountId}/tokens',
      operationId: 'controlListTokens',
      summary: "List an account's API tokens",
      params: accountParams,
      responses: {
        200: {
          description: "The account's tokens",
          schema: z.array(token),
          examples: { demo: [exampleToken] },
        },
      },
      errors: ['notFound'],
      handle: async ({ params }) => {
        accounts.account(params.accountId);
        return { status: 200, body: await tokens.listTokens(params.accountId) };
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/control/tokens',
      operationId: 'controlCreateToken',
      summary: 'Create an API token',
      description: 'Only this answer shows the token; the gateway stores its hash.',
      body: tokenInput,
      bodyExamples: {
        sandbox: { accountId: 'demo-shop', label: 'pos 1' },
        production: { accountId: 'demo-shop', environment: 'production' },
      },
      responses: {
        201: {
          description: 'The token',
          schema: createdToken,
          examples: { demo: { ...exampleToken, token: 'test_BTsIkgCgmEaR3mOZ8w4bU5HcfVFbMv0r8dJqPa1yT2s' } },
        },
      },
      errors: ['notFound', 'conflict'],
      journaled: 'withoutBodies',
      handle: async ({ body }) => {
        if (body.environment === 'production') refuseWhereACrashIsSet(moments);
        return { status: 201, body: await tokens.createToken(body) };
      },
    }),
    endpoint({
      ...common,
      method: 'delete',
      path: '/control/tokens/{tokenId}',
      operationId: 'controlRevokeToken',
      summary: 'Revoke an API token',
      params: z.object({ tokenId: z.string() }),
      responses: {
        200: {
          description: 'The token, revoked',
          schema: token,
          examples: { revoked: { ...exampleToken, revokedAt: '2026-01-02T09:00:00.000Z' } },
        },
      },
      errors: ['notFound'],
      handle: async ({ params }) => ({ status: 200, body: await tokens.revokeToken(params.tokenId) }),
    }),
  ];
}

/**
 * Refuses while a crash is planned: it acts on the whole gateway, so it must not hit payments that are taken for real
 * ones (B283).
 */
function refuseWhereACrashIsSet({ plans }: Services['moments']): void {
  const crash = plans.list().find(({ action }) => action === 'crash');
  if (crash)
    throw new ApiError('conflict', {
      message: `A crash is set at ${crash.moment}, for the whole gateway: take it back first (DELETE /control/moments/${crash.moment})`,
    });
}
