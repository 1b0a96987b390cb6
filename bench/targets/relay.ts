import { parseArgs } from 'node:util';
import { startLeanGateway } from './lean-relay-gateway.ts';
import { startRelayGateway } from './relay-gateway.ts';
import { startRelayTerminals } from './relay-terminals.ts';

/**
 * Runs the relay as a process: with --without-terminals only its gateway, with --gateway only its terminals, otherwise
 * both. With --lean, bodies are passed on unread.
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
