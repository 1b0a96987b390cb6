import type { Runtime } from '../../shared/runtime.ts';
import { ApiError } from '../http/errors.ts';
import { ConsoleAccess } from './access.ts';
import type { ConsoleParts } from './console-parts.ts';

/** The console of a gateway that has one. */
export interface Console {
  readonly access: ConsoleAccess;
  readonly parts: ConsoleParts;
  /** Names this run of the gateway, whose journal counts from 1. */
  readonly run: string;
}

export function openConsole(
  { realClock }: Runtime,
  parts: ConsoleParts,
  { controlToken, dataFolder }: { controlToken: string; dataFolder?: string },
): Console {
  const publicHost = parts.publicUrl && new URL(parts.publicUrl).host;
  const access = new ConsoleAccess(realClock, { controlToken, publicHost, dataFolder });
  return { access, parts, run: String(realClock.now()) };
}

/** @throws ApiError routeNotFound where this gateway has no console */
export function consoleOf({ console }: { readonly console?: Console }): Console {
  if (!console) throw new ApiError('routeNotFound');
  return console;
}

/** A fresh link. The code stands behind the #, which no browser sends and no log gets. */
export function consoleLink({ access, parts }: Console, url: string): { url: string; lifeMs: number } {
  const { code, lifeMs } = access.makeCode();
  return { url: new URL(`/console#sign-in=${code}`, parts.publicUrl ?? url).href, lifeMs };
}
