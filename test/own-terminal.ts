import { RawWebSocket } from './raw-web-socket.ts';
import type { StackHarness } from './stack/stack-harness.ts';

/** A terminal that exists at the gateway and that no emulator hosts: whoever has its key may be it. */
export interface OwnTerminal {
  readonly id: string;
  readonly poiId: string;
  readonly deviceKey: string;
}

/** Provisions a terminal over the control API, as somebody does who brings a device of his own. */
export async function ownTerminal(harness: StackHarness, poiId = 'OWN-1'): Promise<OwnTerminal> {
  const [store] = (await harness.control<{ id: string }[]>('GET', '/stores')).body;
  const { body } = await harness.control<OwnTerminal>('POST', '/terminals', { poiId, storeId: store?.id });
  return body;
}

/** Connects as that terminal to `path`. A number is the status of a refusal. */
export async function dialAs(
  harness: StackHarness,
  path: '/poi' | '/emulator',
  { poiId, deviceKey }: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
): Promise<RawWebSocket | number> {
  const link = await RawWebSocket.open(harness.stack.url, path, {
    Authorization: `Bearer ${deviceKey}`,
    'pinpad-poi': poiId,
    'pinpad-clock': harness.stack.runtime.clockId ?? '',
  });
  if (typeof link !== 'number') harness.beforeClose(() => link.destroy());
  return link;
}

/** As {@link dialAs}, for those who expect to be let in. */
export async function linkAs(
  harness: StackHarness,
  path: '/poi' | '/emulator',
  terminal: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
): Promise<RawWebSocket> {
  const link = await dialAs(harness, path, terminal);
  if (typeof link === 'number') throw new Error(`${path} refuses with ${link}`);
  return link;
}
