import type { AttackTarget } from '../target.ts';

const fields = [
  () => 'a&'.repeat(49_000),
  () => 'a=1&'.repeat(24_000),
  () => Array.from({ length: 10_000 }, (_, nth) => `f${nth}=1`).join('&'),
  () => '%'.repeat(90_000),
  () => '%25'.repeat(30_000),
  () => 'a[]'.repeat(30_000),
  () => '__proto__=1&constructor=2&step=accept&csrf=x',
  () => '='.repeat(90_000),
  () => '+'.repeat(90_000),
];
const types = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-7',
  'text/plain',
];
const links = ['/pay/anything', '/pay/%2e%2e', '/PAY/x', '//pay/x', '/pay/x/', '/pay/x%'];

/** Sends forms and query strings that have many fields, one name many times, or text that is slow to decode. */
export async function sendHostileForms(target: AttackTarget): Promise<void> {
  await Promise.all([sendForms(target), sendForms(target), sendForms(target)]);
}

async function sendForms(target: AttackTarget): Promise<void> {
  while (!target.over) {
    const text = target.one(fields)();
    await target.ask({
      method: 'POST',
      path: target.one(links),
      as: 'nobody',
      headers: { 'content-type': target.one(types) },
      body: text,
    });
    const paths = ['/payment-requests/status', '/control/journal', '/pay/anything', '/nothing', '/terminals'];
    await target.ask({
      method: 'GET',
      path: `${target.one(paths)}?${text.slice(0, 12_000)}`,
      as: target.one(['nobody', 'hostile', 'control']),
      expected: [200, 400, 401, 403, 404, 405, 410, 414, 431],
    });
  }
}
