import { RawWebSocket } from './raw-web-socket.ts';
import type { StackHarness } from './stack/stack-harness.ts';

/** A terminal that the gateway knows but no emulator hosts. A test plays it with the terminal's key. */
export interface OwnTerminal {
  readonly id: string;
  readonly poiId: string;
  readonly deviceKey: string;
}

/** Provisions a terminal over the control API, as a user with a real device does. */
export async function provisionOwnTerminal(harness: StackHarness, poiId = 'OWN-1'): Promise<OwnTerminal> {
  const [store] = (await harness.control<{ id: string }[]>('GET', '/stores')).body;
  const { body } = await harness.control<OwnTerminal>('POST', '/terminals', { poiId, storeId: store?.id });
  return body;
}

/**
 * Returns the headers with which a terminal opens a link. The link has a socket of its own, or it is a channel of a
 * shared socket.
 */
export function headersOf(
  { stack }: StackHarness,
  { poiId, deviceKey }: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
): Record<string, string> {
  return {
    authorization: `Bearer ${deviceKey}`,
    'pinpad-poi': poiId,
    'pinpad-clock': stack.runtime.clockId ?? '',
  };
}

/** Connects as a terminal to `path`. Resolves to the link, or to the status of a refusal. */
export async function dialAs(
  harness: StackHarness,
  path: '/poi' | '/emulator',
  terminal: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
  more: Record<string, string> = {},
): Promise<RawWebSocket | number> {
  const headers = { ...headersOf(harness, terminal), ...more };
  const link = await RawWebSocket.open(harness.stack.url, path, headers);
  if (typeof link !== 'number') harness.beforeClose(() => link.destroy());
  return link;
}

/** Does the same as {@link dialAs}, but throws if the gateway refuses the link. */
export async function linkAs(
  harness: StackHarness,
  path: '/poi' | '/emulator',
  terminal: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
  more: Record<string, string> = {},
): Promise<RawWebSocket> {
  const link = await dialAs(harness, path, terminal, more);
  if (typeof link === 'number') throw new Error(`${path} refuses with ${link}`);
  return link;
}
