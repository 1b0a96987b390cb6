/**
 * Runs a gateway in a process of its own that a test can kill: `node gateway-program.ts '{"database": …, "nats": …,
 * "name": …}'`.
 */
import { createGateway } from '../../gateway/index.ts';

const { database, controlToken, nats, name } = JSON.parse(process.argv[2] ?? '{}');
const gateway = await createGateway({ database, controlToken, cluster: { nats, name } });
process.once('SIGINT', () => void gateway.close());
console.log(JSON.stringify({ url: gateway.url }));
