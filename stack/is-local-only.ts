import { isLoopback } from '../gateway/index.ts';
import type { Config } from './config.ts';

/**
 * Whether only this machine can reach the gateway. That is so if the gateway listens on loopback, or if the gateway's
 * public address is a loopback address. In the second case, the gateway runs in a container or a virtual machine, and
 * its port is published only on this machine's loopback.
 */
export function isLocalOnly({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  if (isLoopback(host)) return true;
  if (publicUrl === undefined) return false;
  return isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''));
}
