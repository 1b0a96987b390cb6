import { expect, test } from 'vitest';
import { makeRejectionEvent } from './answers.ts';

function detailsOf(message: string) {
  return makeRejectionEvent({}, message, 0).SaleToPOIRequest.EventNotification.EventDetails;
}

test('the text of a Reject event is encoded like a form, so a till reads every character of it', () => {
  expect(detailsOf('Terminal is not reachable')).toBe('message=Terminal+is+not+reachable');
  const text = '100% of a+b=c & more, für 5 €';
  expect([...new URLSearchParams(detailsOf(text))]).toEqual([['message', text]]);
});

test('the text of a Reject event has no card number (B126)', () => {
  expect(detailsOf('card 4111111111111111')).toBe('message=card+411111+****+1111');
});
