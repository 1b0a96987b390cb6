// A till that is written for Adyen's terminals. It sends its requests to Adyen's host. It uses only three variables of
// pinpad: the address to which it reports its beliefs, the number of its worker, and whether it has to recover a sale.
const { randomBytes } = require('node:crypto');
const { existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { request } = require('node:https');
const { setTimeout: delay } = require('node:timers/promises');

/**
 * `how` is `careful` or the name of the till's mistake. `then` is what the till does after the sale: it `keeps` the
 * money, `reverses` a part of the payment, or `refunds` a part to a card.
 */
const [how = 'careful', then = 'keeps'] = process.argv.slice(2);
const { ADYEN_API_KEY, POIID, PINPAD_BELIEFS_URL, TILL_PATIENCE = '30', TILL_POLL = '1' } = process.env;
/** The file with the sale that is under way. A till that starts after a crash reads it. */
const file = process.env.TILL_FOLDER && `${process.env.TILL_FOLDER}/${process.env.PINPAD_WORKER}.json`;
const open =
  process.env.PINPAD_RECOVERY && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
const SaleID = 'till-1';
const TransactionID = open?.TransactionID ?? `order-${randomBytes(4).toString('hex')}`;
const price = 12.5;
const given = 5;
const mostTries = 4;
const mostQuestions = 60;

const newServiceId = () => randomBytes(5).toString('hex');

function message(MessageCategory, ServiceID, body) {
  const MessageHeader = {
    ...{ ProtocolVersion: '3.0', MessageClass: 'Service', MessageCategory, MessageType: 'Request' },
    ...{ SaleID, ServiceID, POIID },
  };
  return { SaleToPOIRequest: { MessageHeader, [`${MessageCategory}Request`]: body } };
}

function payment(ServiceID) {
  return message('Payment', ServiceID, {
    SaleData: { SaleTransactionID: { TransactionID, TimeStamp: new Date().toISOString() } },
    PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: price } },
  });
}

function refund(ServiceID) {
  return message('Payment', ServiceID, {
    SaleData: { SaleTransactionID: { TransactionID, TimeStamp: new Date().toISOString() } },
    PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: given } },
    PaymentData: { PaymentType: 'Refund' },
  });
}

function reversal(ServiceID, { POIData }) {
  return message('Reversal', ServiceID, {
    OriginalPOITransaction: { POITransactionID: POIData.POITransactionID },
    ReversedAmount: given,
    ReversalReason: 'MerchantCancel',
  });
}

/**
 * Resolves to the response. If there is no response, resolves to undefined: the answer was an event or an HTTP error,
 * the connection broke, or no answer came.
 */
async function send(body, name) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const headers = { 'x-api-key': ADYEN_API_KEY, 'content-type': 'application/json' };
  const options = { method: 'POST', headers, agent: false, timeout: Number(TILL_PATIENCE) * 1_000 };
  const sent = request('https://terminal-api-test.adyen.com/sync', options, async (answer) => {
    try {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(answer.statusCode === 200 ? JSON.parse(text).SaleToPOIResponse?.[name] : undefined);
    } catch (error) {
      reject(error);
    }
  });
  sent.on('timeout', () => sent.destroy(new Error('silence'))).on('error', reject);
  sent.end(JSON.stringify(body));
  return promise.catch(() => undefined);
}

const isPaid = ({ Response }) => (Response.Result === 'Success' ? 'paid' : 'notPaid');

/**
 * Asks the terminal what became of a message. Resolves to the response to that message, to `NotFound`, or after a while
 * to `unknown`.
 */
async function ask(ServiceID, MessageCategory) {
  for (let asked = 0; asked < mostQuestions; asked++) {
    const MessageReference = { MessageCategory, SaleID, ServiceID };
    const told = await send(
      message('TransactionStatus', newServiceId(), { MessageReference }),
      'TransactionStatusResponse',
    );
    if (told?.Response.Result === 'Success')
      return told.RepeatedMessageResponse.RepeatedResponseMessageBody[`${MessageCategory}Response`];
    if (told?.Response.ErrorCondition === 'NotFound') return 'NotFound';
    await delay(Number(TILL_POLL) * 1_000);
  }
  return 'unknown';
}

async function sell() {
  let ServiceID = open?.ServiceID ?? newServiceId();
  if (file) writeFileSync(file, JSON.stringify({ TransactionID, ServiceID }));
  for (let tried = 0; tried < mostTries; tried++) {
    const paid = await send(payment(ServiceID), 'PaymentResponse');
    if (paid) return paid;
    if (how === 'takes-errors-for-no') return 'notPaid';
    const became = how === 'new-service-id' ? 'NotFound' : await ask(ServiceID, 'Payment');
    if (became !== 'NotFound') return became;
    if (how === 'new-service-id') ServiceID = newServiceId();
    await delay(Number(TILL_POLL) * 1_000);
  }
  return 'unknown';
}

/** Gives 5.00 back. Resolves to the amount that the till believes it has given back: 5.00 or nothing. */
async function giveBack(paid) {
  let ServiceID = newServiceId();
  const category = then === 'reverses' ? 'Reversal' : 'Payment';
  for (let tried = 0; tried < mostTries; tried++) {
    const body = then === 'reverses' ? reversal(ServiceID, paid) : refund(ServiceID);
    let became = await send(body, `${category}Response`);
    if (!became && how !== 'gives-back-again') became = await ask(ServiceID, category);
    if (became && became !== 'NotFound') return became.Response?.Result === 'Success' ? given : 0;
    if (how === 'gives-back-again') ServiceID = newServiceId();
    await delay(Number(TILL_POLL) * 1_000);
  }
  return 0;
}

async function main() {
  const paid = await sell();
  const believes = typeof paid === 'string' ? paid : isPaid(paid);
  const back = believes === 'paid' && then !== 'keeps' ? await giveBack(paid) : 0;
  await fetch(PINPAD_BELIEFS_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      saleReferenceId: `${SaleID} ${TransactionID}`,
      believes,
      ...(back > 0 && { amount: price - back }),
    }),
  });
  if (file) rmSync(file);
}

void main();
