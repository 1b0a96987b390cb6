import type { Command } from 'commander';
import type { Account } from '../client/openapi-types.ts';
import {
  type ControlledGateway,
  controlClientOf,
  readRunningNote,
  StartError,
} from '../stack/running-gateway.ts';
import { makeOption, makeTokenOption, parseGatewayAddress } from './options.ts';

export interface AttachFlags {
  url?: string;
  data: string;
  controlToken?: string;
}

/** Adds the options of every command that watches an already running gateway. */
export function addAttachOptions(command: Command): Command {
  return command
    .addOption(makeOption('--url <url>', 'the address of the gateway').argParser(parseGatewayAddress))
    .addOption(
      makeOption('--data <folder>', 'the data folder of a gateway that runs on this machine').default(
        '.pinpad',
      ),
    )
    .addOption(makeTokenOption('--control-token <token>', 'the control token of the gateway at --url'));
}

/** @throws StartError if no gateway runs here and the command line names none */
export function findRunningGateway(flags: AttachFlags): ControlledGateway {
  const url = findGatewayUrl(flags);
  const controlToken =
    flags.controlToken ?? (flags.url ? undefined : readRunningNote(flags.data)?.controlToken);
  if (!controlToken) throw new StartError('--control-token (or PINPAD_CONTROL_TOKEN) is needed with --url');
  return { url, controlToken };
}

/** @throws StartError if no gateway runs here and the command line names none */
export function findGatewayUrl({ url, data }: Pick<AttachFlags, 'url' | 'data'>): string {
  const found = url ?? readRunningNote(data)?.url;
  if (!found)
    throw new StartError(
      `no gateway runs with the data folder ${data}: start one with "pinpad up", or use --url`,
    );
  return found;
}

/**
 * Returns the gateway's accounts, or only the account that the command asks for.
 *
 * @throws StartError if that account does not exist
 */
export async function fetchRequestedAccounts(
  gateway: ControlledGateway,
  asked: string | undefined,
): Promise<Account[]> {
  const all = await controlClientOf(gateway).GET('/control/accounts');
  const found = all.filter(({ id }) => asked === undefined || id === asked);
  if (asked === undefined || found.length > 0) return found;
  throw new StartError(`no account ${asked}; there are: ${all.map(({ id }) => id).join(', ') || 'none'}`);
}

/** Returns the message that a connection was lost and is being opened again. */
export function connectionEndedText({ url }: ControlledGateway): string {
  return `The connection to ${url} ended; connecting again …`;
}
