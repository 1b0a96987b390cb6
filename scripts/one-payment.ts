import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Starts pinpad with this command, takes a payment, and stops pinpad. Throws if the payment fails, or if pinpad's exit
 * code is not 0.
 */
export async function takeOnePayment(
  [program, ...before]: readonly [string, ...string[]],
  data: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const command = [program, ...before].join(' ');
  const options = ['--port', '0', '--data', data, '--auto', 'visa-credit', '--pacing', 'instant'];
  const child = spawn(program, [...before, 'up', '--json', ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const kill = () => child.kill('SIGKILL');
  process.prependOnceListener('exit', kill);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(([code, signal]) => Promise.reject(new Error(`${command} up ended with ${code ?? signal}`))),
  ])) as [string];
  const { url, token, terminals } = JSON.parse(line) as {
    url: string;
    token: string;
    terminals: { identifier: string }[];
  };
  const response = await fetch(`${url}/terminals/${terminals[0]?.identifier}/payment-request`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } }),
  });
  const result = (await response.json()) as { response?: { result?: string } };
  child.kill('SIGINT');
  const [code] = await ended;
  process.removeListener('exit', kill);
  rmSync(data, { recursive: true, force: true });
  if (response.status !== 200 || result.response?.result !== 'success')
    throw new Error(
      `${command}: the payment request was answered with ${response.status} ${JSON.stringify(result)}`,
    );
  if (code !== 0) throw new Error(`${command}: exit code ${code} after SIGINT`);
}
