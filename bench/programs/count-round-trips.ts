import pg from 'pg';

/**
 * Loaded into a gateway with `--import`, this counts the messages to PostgreSQL whose answers the gateway waits for.
 */
let roundTrips = 0;
const client = pg.Client.prototype as { query(...sent: unknown[]): unknown };
const { query } = client;
client.query = function (...sent) {
  roundTrips++;
  return query.apply(this, sent);
};

process.on('message', (question: { roundTrips?: true }) => {
  if (question.roundTrips) process.send?.({ roundTrips });
});
process.channel?.unref();
