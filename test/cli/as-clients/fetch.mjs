// Uses Node's own fetch. It has no agent in which a program could set a proxy.
const answer = await fetch('https://terminal-api-live-us.adyen.com/sync', {
  method: 'POST',
  headers: { 'x-api-key': process.env.ADYEN_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ SaleToPOIRequest: { MessageHeader: { ServiceID: '1' } } }),
});
console.log((await answer.json()).SaleToPOIResponse.PaymentResponse.Response.Result);
if (process.env.OTHER) console.log(await (await fetch(process.env.OTHER)).text());
