import { parseArgs } from 'node:util';
import { startLeanGateway } from './lean-relay-gateway.ts';
import { startRelayGateway } from './relay-gateway.ts';
import { startRelayTerminals } from './relay-terminals.ts';

/**
 * Runs the relay, with which the benchmarks compare pinpad: a gateway and terminals over HTTP and WebSocket that pass each
 * payment on without deciding or storing anything. With --without-terminals it runs only the gateway, with --gateway
 * only the terminals, because pinpad's terminals can run in a process of their own, too. With --lean it does not read
 * the bodies that it passes on. When it is ready, it prints its address and terminals as a line of JSON.
 */
const { values } = parseArgs({
  options: {
    'without-terminals': { type: 'boolean', default: false },
    gateway: { type: 'string' },
    terminals: { type: 'string', default: '1' },
    'answer-bytes': { type: 'string', default: '2000' },
    lean: { type: 'boolean', default: false },
  },
});
const { lean } = values;
const url = values.gateway ?? (await (lean ? startLeanGateway() : startRelayGateway()));
const terminals = Array.from({ length: Number(values.terminals) }, (_, nth) => String(nth));
if (!values['without-terminals'])
  await startRelayTerminals({ url, terminals, answerBytes: Number(values['answer-bytes']), lean });
process.on('SIGINT', () => process.exit());
console.log(JSON.stringify({ url, terminals }));
