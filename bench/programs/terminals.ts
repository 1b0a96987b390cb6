import {
  makeConfiguredRuntime,
  resolveConfig,
  startTerminals,
  type TerminalsWanted,
} from '../../stack/index.ts';

/**
 * Runs terminals that dial one of several gateways. The arguments are the gateway's address and the terminals as JSON.
 */
const [gatewayUrl = '', given = '[]'] = process.argv.slice(2);
const config = resolveConfig(undefined, { memory: true, pacing: 'instant' });
const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;
const wanted = { gatewayUrl, given: JSON.parse(given) as TerminalsWanted['given'], count: 0 };
const running = await startTerminals(wanted, { ...config, shopper }, makeConfiguredRuntime(config));
console.log(JSON.stringify({ terminals: running.terminals.length }));
process.on('SIGINT', () => void running.close().then(() => process.exit(0)));
