import { RawWebSocket } from './raw-web-socket.ts';
import type { StackHarness } from './stack/stack-harness.ts';

/** A terminal that exists at the gateway and that no emulator hosts: a test with its key can play it. */
export interface OwnTerminal {
  readonly id: string;
  readonly poiId: string;
  readonly deviceKey: string;
}

/** Provisions a terminal over the control API, as a user with a device of their own does. */
export async function ownTerminal(harness: StackHarness, poiId = 'OWN-1'): Promise<OwnTerminal> {
  const [store] = (await harness.control<{ id: string }[]>('GET', '/stores')).body;
  const { body } = await harness.control<OwnTerminal>('POST', '/terminals', { poiId, storeId: store?.id });
  return body;
}

/** What opens a link as that terminal, on a socket of its own or a channel of a shared one. */
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

/** Connects as that terminal to `path`. A number is the status of a refusal. */
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

/** As {@link dialAs}, for those who expect to be let in. */
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
