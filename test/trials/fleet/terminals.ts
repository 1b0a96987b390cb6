import { readFileSync } from 'node:fs';
import {
  makeConfiguredRuntime,
  resolveConfig,
  startTerminals,
  type TerminalsWanted,
} from '../../../stack/index.ts';

/**
 * Runs terminals whose links share sockets, and whose shoppers take their time. The arguments are the gateway's URL and
 * a file that lists the terminals.
 */
const [gatewayUrl = '', file = ''] = process.argv.slice(2);
const given = JSON.parse(readFileSync(file, 'utf8')) as TerminalsWanted['given'];
const config = resolveConfig(undefined, { memory: true, pacing: 'instant', logLevel: 'silent' });
const shopper = { card: 'offline-pin', entry: 'ICC', tip: 'none', thinkMs: 500 } as const;
const running = await startTerminals(
  { gatewayUrl, given, count: 0 },
  { ...config, shopper },
  makeConfiguredRuntime(config),
);
console.log(JSON.stringify({ terminals: running.terminals.length }));
process.on('SIGINT', () => void running.close().then(() => process.exit(0)));
