import pg from 'pg';

/** Is loaded into a gateway with `--import`. Counts what the gateway sends to PostgreSQL and waits for. */
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
