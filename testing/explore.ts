import { StartError } from '../shared/start-error.ts';

/** One run of an exploration, with everything that the point of sale must know about it. */
export interface ExploredRun {
  readonly id: string;
  /** The address of the payments API and of the control API. */
  readonly url: string;
  readonly token: string;
  /** The terminalId in paths. */
  readonly terminal: string;
  readonly controlToken: string;
  /** The address at which the point of sale states what it believes. */
  readonly beliefsUrl: string | undefined;
  /** All variables of the run, including those of `--env`. During the run they are in `process.env` too. */
  readonly variables: Readonly<Record<string, string>>;
}

interface GivenRun {
  readonly run: string;
  readonly variables: Record<string, string>;
}

/**
 * Calls `sell` once for each run of `pinpad explore -- COMMAND`, all in this process. This saves time if the point of
 * sale starts slowly (B302). Resolves to the number of runs.
 *
 * @throws StartError if no `pinpad explore` started this process
 * @throws the error of the sale. Do not catch this error, so that the process fails: explore then starts the process
 * again for the next run.
 *
 * @example
 * const runs = await explore(async ({ url, token, terminal }) => {
 *   const client = createClient({ url, token });
 *   const params = { path: { terminalId: terminal } };
 *   await client.GET('/terminals/{terminalId}/payment-request', { params }); // in place of a sale
 * });
 */
export async function explore(sell: (run: ExploredRun) => Promise<unknown>): Promise<number> {
  const address = process.env.PINPAD_EXPLORE_URL;
  if (!address)
    throw new StartError(
      'explore: PINPAD_EXPLORE_URL is not set: run this program with "pinpad explore -- COMMAND"',
    );
  for (let runs = 0; ; runs++) {
    const given = await nextRun(address);
    if (!given) return runs;
    Object.assign(process.env, given.variables);
    await sell(runOf(given));
    await post(`${address}/runs/${given.run}/done`);
  }
}

function runOf({ run, variables }: GivenRun): ExploredRun {
  const { PINPAD_URL = '', PINPAD_TOKEN = '', PINPAD_TERMINAL = '', PINPAD_CONTROL_TOKEN = '' } = variables;
  return {
    id: run,
    url: PINPAD_URL,
    token: PINPAD_TOKEN,
    terminal: PINPAD_TERMINAL,
    controlToken: PINPAD_CONTROL_TOKEN,
    beliefsUrl: variables.PINPAD_BELIEFS_URL,
    variables,
  };
}

/** Waits for the next run. Resolves with undefined when there is no further run. */
async function nextRun(address: string): Promise<GivenRun | undefined> {
  for (;;) {
    const answer = await post(`${address}/next`).catch((error: unknown) => {
      // `fetch` gives up after five minutes. Then this function asks again. This is safe, because explore offers the
      // same run until the run is done.
      if (isTimeout(error)) return undefined;
      throw error;
    });
    if (answer) return answer.status === 204 ? undefined : ((await answer.json()) as GivenRun);
  }
}

async function post(address: string): Promise<Response> {
  const answer = await fetch(address, { method: 'POST' });
  if (!answer.ok) throw new Error(`"pinpad explore" answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

function isTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_HEADERS_TIMEOUT';
}
