import { mkdirSync } from 'node:fs';
import type { ControlClient } from '../../client/control-client.ts';
import {
  type Config,
  type ConfigChanges,
  type ControlledGateway,
  controlClientOf,
  readRunningNote,
  removeRunningNote,
  resolveConfig,
  type Stack,
  StartError,
  startStack,
  writeRunningNote,
} from '../../stack/index.ts';
import type { SecretRedactor } from './hidden-secrets.ts';
import { resolveFolderInside, resolvePathInside } from './path-inside.ts';
import { ToolError } from './tool.ts';

/** The user's settings for gateways when the server was started. */
interface GatewaySettings {
  readonly folder: string;
  readonly config: string | undefined;
  /** The folder for a gateway's data; undefined if the gateway keeps its data in memory. */
  readonly data: string | undefined;
  readonly port: number;
  readonly url: string | undefined;
  readonly controlToken: string | undefined;
}

/** The folder in which a gateway without a data folder writes its address for other commands. */
const usualFolder = '.pinpad';

/** Holds the gateway that all tools use. Either the tool `start` has started it, or the user has named it. */
export class ToolGatewayManager {
  readonly #settings: GatewaySettings;
  readonly #hidden: SecretRedactor;
  readonly #named: ControlledGateway | undefined;
  #own: { stack: Stack; folder: string } | undefined;
  #starting: Promise<{ stack: Stack; file: string }> | undefined;
  /** Resolves when the gateway that was stopped last has ended. */
  #stopped: Promise<unknown> = Promise.resolve();

  /**
   * @throws StartError if the user named a gateway on another machine, gave no control token for it, or named a data
   * folder outside of the project
   */
  constructor(settings: GatewaySettings, hidden: SecretRedactor) {
    this.#settings = settings;
    this.#hidden = hidden;
    resolvePathInside(settings.folder, settings.data ?? usualFolder);
    if (settings.config !== undefined) refuseConfigured(resolveConfig(settings.config));
    this.#named = settings.url === undefined ? undefined : named(settings, settings.url);
    hidden.add(settings.controlToken, this.#named?.controlToken);
  }

  /** Makes a client for the gateway. @throws ToolError if there is no gateway, or the gateway has production tokens */
  async control(): Promise<ControlClient> {
    const gateway = this.#own?.stack ?? this.#named;
    if (!gateway) throw new ToolError('no gateway runs', 'Call "start".');
    const control = controlClientOf(gateway);
    await refuseProduction(control);
    return control;
  }

  /** Returns the gateway as an argument for the functions that read a gateway's journal. */
  async reached(): Promise<ControlledGateway> {
    await this.control();
    return (this.#own?.stack ?? this.#named) as ControlledGateway;
  }

  async start(changes: ConfigChanges): Promise<{ stack: Stack; file: string }> {
    if (this.#named)
      throw new ToolError(
        `the user chose the gateway at ${this.#named.url}`,
        'Use the other tools with that gateway. The tool "start" works only if pinpad mcp runs without --url.',
      );
    if (this.#own || this.#starting)
      throw new ToolError(
        'a gateway is already running',
        'Use that gateway, or call "stop" and then "start".',
      );
    this.#starting = this.#stopped.then(() => this.#start(changes));
    try {
      return await this.#starting;
    } finally {
      this.#starting = undefined;
    }
  }

  async #start(changes: ConfigChanges): Promise<{ stack: Stack; file: string }> {
    const { folder: root, config, data, port } = this.#settings;
    const folder = resolveFolderInside(root, data ?? usualFolder);
    if (readRunningNote(folder))
      throw new ToolError(
        `another gateway runs with the data folder ${data ?? usualFolder}`,
        'Ask the user to end that gateway, or to start pinpad mcp with --url or with another --data.',
      );
    const place = { host: '127.0.0.1', port, memory: data === undefined, data: folder };
    const wanted = resolveConfig(config, { ...changes, ...place });
    if (wanted.database !== undefined || wanted.publicUrl !== undefined)
      throw new ToolError(
        'the configuration sets a database or a public address for the gateway',
        'Ask the user for a configuration without "database" and without "publicUrl": the tool "start" starts gateways only for this machine.',
      );
    const stack = await startStack(wanted);
    this.#hidden.add(stack.controlToken, ...stack.tokens.map(({ token }) => token));
    this.#hidden.add(...stack.beliefs.map(({ url }) => url.split('/').at(-1)));
    try {
      await refuseProduction(controlClientOf(stack));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const terminals = stack.terminals.map(({ poiId, identifier }) => ({ poiId, identifier }));
      const { url, controlToken } = stack;
      const token = stack.tokens[0]?.token ?? '';
      writeRunningNote(folder, { url, pid: process.pid, controlToken, token, terminals });
    } catch (error) {
      await stack.close();
      throw error;
    }
    this.#own = { stack, folder };
    return { stack, file: `${data ?? usualFolder}/running.json` };
  }

  /** Stops the gateway, even if it is just being started. Resolves to true if a gateway was running. */
  async stop(): Promise<boolean> {
    if (this.#starting) await this.#starting.catch(() => {}); // `start` reports this error
    const own = this.#own;
    this.#own = undefined;
    if (!own) return false;
    removeRunningNote(own.folder);
    const closing = own.stack.close();
    this.#stopped = closing.catch(() => {});
    await closing;
    return true;
  }
}

function named({ controlToken, data }: GatewaySettings, url: string): ControlledGateway {
  const { hostname, origin } = new URL(url);
  if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname))
    throw new StartError(
      `--url ${origin}: an agent may only use a gateway on this machine, such as http://127.0.0.1:8080`,
    );
  const running = readRunningNote(data ?? usualFolder);
  const here = running && new URL(running.url).origin === origin ? running : undefined;
  const token = controlToken ?? here?.controlToken;
  if (token === undefined)
    throw new StartError('--control-token (or PINPAD_CONTROL_TOKEN) is needed with --url');
  return { url: origin, controlToken: token };
}

/** @throws StartError if a configuration has production tokens */
function refuseConfigured({ accounts }: Pick<Config, 'accounts'>): void {
  for (const { name, tokens } of accounts ?? [])
    if (tokens.some(({ environment }) => environment === 'production'))
      throw new StartError(
        `account ${JSON.stringify(name)} of the configuration has a production token: an agent may only use a gateway that has no production tokens`,
      );
}

/** @throws ToolError if one of the gateway's tokens is for real money, because an agent must not use such a gateway */
async function refuseProduction(control: ControlClient): Promise<void> {
  for (const { id } of await control.GET('/control/accounts')) {
    const params = { path: { accountId: id } };
    const tokens = await control.GET('/control/accounts/{accountId}/tokens', { params });
    if (tokens.some(({ environment, revokedAt }) => environment === 'production' && revokedAt === null))
      throw new ToolError(
        'this gateway has production tokens',
        'Stop, and tell the user: an agent may only use a gateway that has no production tokens.',
      );
  }
}
