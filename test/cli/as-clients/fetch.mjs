// Uses Node's own `fetch`. With this `fetch`, a program cannot set a proxy in an agent.
const answer = await fetch('https://terminal-api-live-us.adyen.com/sync', {
  method: 'POST',
  headers: { 'x-api-key': process.env.ADYEN_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ SaleToPOIRequest: { MessageHeader: { ServiceID: '1' } } }),
});
console.log((await answer.json()).SaleToPOIResponse.PaymentResponse.Response.Result);
if (process.env.OTHER) console.log(await (await fetch(process.env.OTHER)).text());
