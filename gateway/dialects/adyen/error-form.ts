import { maskCardNumbers } from '../../../shared/masking/card-numbers.ts';
import type { ErrorFormatter, RequestFailure } from '../../http/dialect.ts';
import type { Answer } from '../../http/endpoint.ts';
import { errorTable } from '../../http/errors.ts';
import { makeFailureField, makeRejectionEvent, makeResponseMessage } from './answers.ts';
import { type Message, readMessage } from './message.ts';

const titles: Partial<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/**
 * Makes HTTP errors in the form of Adyen's API (RFC 7807). If white space was already sent, the status of the answer
 * can no longer change. The error is then sent as an event that rejects the message.
 */
export function makeAdyenErrorFormatter(now: () => number): ErrorFormatter {
  return (error, { requestId, begun, body }): Answer => {
    const means = { status: error.status, as: 'Reject' };
    if (begun) return { status: 200, body: makeRejectionEvent(body, error.message, now()), means };
    const message = error.code === 'invalidRequest' ? readMessage(body) : undefined;
    if (message)
      return {
        status: 200,
        body: badFields(message, error),
        means: { status: 400, as: 'MessageFormat' },
      };
    const status = error.code === 'terminalNotFound' ? 403 : error.status;
    const answer = {
      type: 'about:blank',
      title: titles[status] ?? 'Bad Request',
      status,
      errorCode: `00_${status}`,
      detail: maskCardNumbers(detailOf(error)),
      requestId,
      ...(error.details && {
        invalidFields: error.details.map(({ path, message }) => ({
          name: maskCardNumbers(path),
          message: maskCardNumbers(message),
        })),
      }),
    };
    const { 'WWW-Authenticate': _, ...headers } = error.headers;
    // Adyen refuses an unknown terminal as forbidden, but for lint it is a terminal that does not exist.
    const meaning = status === error.status ? {} : { means: { status: error.status, as: answer.title } };
    return { status, body: answer, headers, ...meaning };
  };
}

/**
 * Makes the answer to a message that is refused before its schema is checked, for example because of a control
 * character in a field.
 */
function badFields({ header }: Message, { message, details = [] }: RequestFailure): object {
  const errors = details.map((fault) => `${fault.path}: ${fault.message}`).join(', ');
  return makeResponseMessage(
    header,
    makeFailureField('MessageFormat', message, { errors: maskCardNumbers(errors) }),
  );
}

/**
 * Gives the text of an error. Some errors have another text here than in the native API, because a caller of this API
 * must solve the problem in another way.
 */
function detailOf({ code, message }: RequestFailure): string {
  if (code === 'unauthorized') return 'A valid API key is required: x-api-key: <a token of pinpad>';
  if (code === 'terminalNotFound' && message === errorTable.terminalNotFound.message)
    return 'The account of the API key has no terminal with this POIID';
  return message;
}
