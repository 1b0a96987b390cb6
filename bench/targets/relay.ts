import { parseArgs } from 'node:util';
import { startRelayGateway } from './relay-gateway.ts';
import { startRelayTerminals } from './relay-terminals.ts';

/** The relay as a process: both ends of it, or with --without-terminals / --gateway one of them. */
const { values } = parseArgs({
  options: {
    'without-terminals': { type: 'boolean', default: false },
    gateway: { type: 'string' },
    terminals: { type: 'string', default: '1' },
    'answer-bytes': { type: 'string', default: '2000' },
  },
});
const url = values.gateway ?? (await startRelayGateway()).url;
const terminals = Array.from({ length: Number(values.terminals) }, (_, nth) => String(nth));
if (!values['without-terminals']) await startRelayTerminals(url, terminals, Number(values['answer-bytes']));
process.on('SIGINT', () => process.exit());
console.log(JSON.stringify({ url, terminals }));
