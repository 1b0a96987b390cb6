import pg from 'pg';

/**
 * If the server gives no answer for this many milliseconds, the connection counts as lost. pinpad's statements are much
 * faster.
 */
const answerWithinMs = 15_000;
const connectWithinMs = 5_000;
/** The maximum time, in ms, for which a process that hangs in the middle of a transaction can keep its rows locked. */
const idleInTransactionMs = 5_000;

const { builtins } = pg.types;
/**
 * The types of PostgreSQL whose values are read as JavaScript numbers, as SQLite's values are. No stored number is
 * larger than 2^53.
 */
const numbers: number[] = [builtins.INT8, builtins.NUMERIC];
const types = {
  getTypeParser: (oid: number, format?: never) =>
    numbers.includes(oid) ? Number : pg.types.getTypeParser(oid, format),
};

/**
 * The settings of every connection. Only this file imports the driver. Both sides send keep-alives, so that each side
 * notices if the other side has vanished. The server then soon releases the locks of a client that has vanished.
 */
function settings(url: string): pg.PoolConfig {
  return {
    connectionString: withPlainTls(url),
    application_name: 'pinpad',
    types: types as NonNullable<pg.PoolConfig['types']>,
    query_timeout: answerWithinMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}

/**
 * Changes the URL so that the driver prints no warning. With TLS the driver always checks certificates fully, whatever
 * `sslmode` says. But if `sslmode` asks for less than the full check, the driver prints a warning of eight lines.
 */
function withPlainTls(url: string): string {
  const parsed = URL.parse(url);
  const mode = parsed?.searchParams.get('sslmode') ?? '';
  if (!parsed || !['prefer', 'require', 'verify-ca'].includes(mode)) return url;
  // the URL asks for the weaker checks of libpq, so the URL is not changed
  if (parsed.searchParams.has('uselibpqcompat')) return url;
  parsed.searchParams.set('sslmode', 'verify-full');
  return parsed.href;
}

/** Makes the pool of connections for reads and units of work. A connection is made when it is needed. */
export function createConnectionPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    ...settings(url),
    max: 5,
    idleTimeoutMillis: 60_000,
    onConnect: requestKeepAlives,
  });
  pool.on('error', () => {}); // after an idle connection was lost, the next read opens another one
  pool.on('connect', (client) => client.on('error', () => {})); // after a connection in use was lost, its query fails
  return pool;
}

/** Opens one connection. `onLost` is called when the connection breaks off. */
export async function connectPostgres(url: string, onLost: () => void): Promise<pg.Client> {
  const client = new pg.Client(settings(url));
  client.on('error', onLost);
  client.on('end', onLost);
  await client.connect();
  try {
    await requestKeepAlives(client);
  } catch (error) {
    dropConnection(client);
    throw error;
  }
  return client;
}

/** Makes the server send keep-alives. The driver itself sends the keep-alives of this side (`keepAlive`). */
async function requestKeepAlives(client: pg.ClientBase): Promise<void> {
  await client.query(
    'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
  );
}

/** Ends a connection at once, because the server might no longer answer. */
export function dropConnection(client: pg.Client): void {
  client.connection.stream.destroy();
}
