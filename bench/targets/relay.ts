import { parseArgs } from 'node:util';
import { startLeanGateway } from './lean-relay-gateway.ts';
import { startRelayGateway } from './relay-gateway.ts';
import { startRelayTerminals } from './relay-terminals.ts';

/**
 * Runs the relay, with which the benchmarks compare pinpad. The relay is a gateway and terminals. They pass each
 * payment on over HTTP and WebSocket, but decide and store nothing. With --without-terminals, only the gateway runs.
 * With --gateway, only the terminals run, because the benchmarks also measure terminals in a process of their own.
 * With --lean, the relay passes bodies on without reading them. When the relay is ready, it prints its address and
 * terminals as a line of JSON.
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
