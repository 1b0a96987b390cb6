import { parseJsonOrText } from '../../../http/body.ts';
import type { ErrorFormatter, LoadedDialect } from '../../../http/dialect.ts';
import { type Answer, type AnyEndpoint, type DecryptedBody, defineEndpoint } from '../../../http/endpoint.ts';
import { ApiError } from '../../../http/errors.ts';
import type { ReceivedBody } from '../../../http/received-body.ts';
import type { Services } from '../../../services.ts';
import type { LocalKey } from '../../dialect-options.ts';
import { messageEndpointParts } from '../endpoints.ts';
import { makeAdyenErrorFormatter } from '../error-form.ts';
import { readMessagePurpose } from '../message-purpose.ts';
import { TerminalApi } from '../terminal-api.ts';
import { cryptoErrorMessage, EnvelopeCipher } from './envelope.ts';

/**
 * Serves Adyen's Terminal API in the form in which terminals serve it on their own network. One port serves all
 * terminals (B462).
 */
export function makeLocalAdyenDialect(services: Services, keys: readonly LocalKey[]): LoadedDialect {
  const { runtime } = services;
  const api = new TerminalApi(services);
  const envelopes = new EnvelopeCipher(keys, runtime.random);
  const nexoEndpoint = (path: `/${string}`, operationId: string): AnyEndpoint =>
    defineEndpoint({
      ...messageEndpointParts,
      bodyOptional: false,
      asks: (json) => readMessagePurpose(json, services.terminals),
      route: `POST ${path}`,
      operationId,
      summary: 'Send an encrypted message to a terminal, and wait for the answer of the terminal',
      opens: (body) => decryptMessage(services, envelopes, body),
      handle: async (call) => withEmptyOk(await api.answerNow(call)),
    });
  return {
    resources: [[nexoEndpoint('/nexo/', 'adyenLocal'), nexoEndpoint('/nexo', 'adyenLocalWithoutSlash')]],
    tokenHeader: undefined,
    errorForm: localErrorForm(makeAdyenErrorFormatter(() => runtime.clock.now())),
  };
}

/** Decrypts a message. No token names the caller, so the terminal's account counts as the caller. */
async function decryptMessage(
  { terminals }: Services,
  envelopes: EnvelopeCipher,
  { json, text }: ReceivedBody,
): Promise<DecryptedBody> {
  const { plain, poiId, key, seal } = await envelopes.open(json);
  const terminal = terminals.byPoiId(poiId);
  if (terminal?.environment !== 'sandbox') throw new ApiError('terminalNotFound');
  const { accountId, environment } = terminal;
  const caller = { tokenId: `adyen.local ${key}`, accountId, environment };
  return { caller, body: { ...parseJsonOrText(plain), sent: text }, seal };
}

/** Removes the body of the answer `ok`, because terminals answer an abort with an empty body. */
function withEmptyOk(answer: Answer): Answer {
  return answer.text === 'ok' ? { ...answer, text: '', headers: {} } : answer;
}

function localErrorForm(cloud: ErrorFormatter): ErrorFormatter {
  return (error, refused) =>
    error.message === cryptoErrorMessage
      ? { status: 400, body: { errors: [cryptoErrorMessage], ServiceID: '-NULL-' } }
      : cloud(error, refused);
}
