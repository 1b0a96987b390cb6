import { isLoopback } from '../gateway/index.ts';
import type { Config } from './config.ts';

/**
 * Whether only this machine reaches the gateway: it listens on loopback, or its public address names loopback. In the
 * second case, a container or a virtual machine listens on all of its own addresses, and its port is published on this
 * machine's loopback.
 */
export function isLocalOnly({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  if (isLoopback(host)) return true;
  if (publicUrl === undefined) return false;
  return isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''));
}
