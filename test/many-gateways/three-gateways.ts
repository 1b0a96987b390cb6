import { createGateway, type Gateway } from '../../gateway/index.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Balancer } from '../balancer.ts';
import { NatsServer } from '../nats-server.ts';

const controlToken = 'control_of_all_gateways';

/** Three gateways of one database. A balancer in front of them sends each request to the next gateway. */
export interface ThreeGateways {
  /** The balancer's URL. */
  readonly url: string;
  readonly controlToken: string;
  readonly gateways: readonly Gateway[];
  close(): Promise<void>;
}

/**
 * Starts the gateways. Each has its own connections to the database, and all are connected by a NATS server of their
 * own.
 */
export async function threeGateways(database: string): Promise<ThreeGateways> {
  const [balancer, nats] = await Promise.all([Balancer.start(), NatsServer.start()]);
  const gateways: Gateway[] = [];
  for (const name of ['one', 'two', 'three'])
    gateways.push(
      await createGateway(
        {
          database,
          controlToken,
          console: { file: async () => undefined },
          dialects: { adyen: true },
          cluster: { nats: nats.url(), name },
        },
        createRuntime(),
      ),
    );
  balancer.gateways = gateways.map(({ url }) => Number(new URL(url).port));
  return {
    url: balancer.url,
    controlToken,
    gateways,
    close: async () => {
      balancer.stop();
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await nats.remove();
    },
  };
}
