import type { Clock } from '../../shared/clock.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import { ApiError } from '../http/errors.ts';
import type { StoreParts } from '../store/store.ts';
import { ConsoleAuthenticator } from './access.ts';
import type { ConsoleSuppliedParts } from './console-parts.ts';
import { InvalidatedCredentialStore } from './invalidated-credentials.ts';

/** The parts of a gateway's console. */
export interface GatewayConsole {
  readonly access: ConsoleAuthenticator;
  readonly parts: ConsoleSuppliedParts;
  /** The identifier of this run of the gateway. In each run the journal starts at number 1. */
  readonly run: string;
}

/** The parts of the gateway that its console uses. */
interface ConsoleSources extends StoreParts {
  /** The clock on which all gateways of the database agree. */
  clock: Clock;
  copies: MemoryCopyUpdater;
  controlToken: string;
}

export async function openConsole(
  { runtime: { realClock }, store, clock, copies, controlToken }: ConsoleSources,
  parts: ConsoleSuppliedParts,
): Promise<GatewayConsole> {
  const publicHost = parts.publicUrl && new URL(parts.publicUrl).host;
  const ended = await InvalidatedCredentialStore.open(store, clock.now(), copies);
  const access = new ConsoleAuthenticator({ clock, controlToken, publicHost, ended });
  return { access, parts, run: String(realClock.now()) };
}

/** @throws ApiError routeNotFound if this gateway serves no console */
export function requireConsole({ console }: { readonly console?: GatewayConsole }): GatewayConsole {
  if (!console) throw new ApiError('routeNotFound');
  return console;
}

/**
 * Makes a new link to the console. The link has its code after the #. Browsers do not send this part of an address, so
 * no log contains the code.
 */
export function makeConsoleLink(
  { access, parts }: GatewayConsole,
  url: string,
): { url: string; until: number } {
  const { code, until } = access.makeCode();
  return { url: new URL(`/console#sign-in=${code}`, parts.publicUrl ?? url).href, until };
}
