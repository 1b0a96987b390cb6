import { RawWebSocket } from './raw-web-socket.ts';
import type { StackBed } from './stack/stack-bed.ts';

/** A terminal that exists at the gateway and that no emulator hosts: whoever has its key may be it. */
export interface OwnTerminal {
  readonly id: string;
  readonly poiId: string;
  readonly deviceKey: string;
}

/** Provisions a terminal over the control API, as somebody does who brings a device of his own. */
export async function ownTerminal(bed: StackBed, poiId = 'OWN-1'): Promise<OwnTerminal> {
  const [store] = (await bed.control<{ id: string }[]>('GET', '/stores')).body;
  const { body } = await bed.control<OwnTerminal>('POST', '/terminals', { poiId, storeId: store?.id });
  return body;
}

/** Connects as that terminal to `path`. A number is the status of a refusal. */
export async function dialAs(
  bed: StackBed,
  path: '/poi' | '/emulator',
  { poiId, deviceKey }: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
): Promise<RawWebSocket | number> {
  const link = await RawWebSocket.open(bed.stack.url, path, {
    Authorization: `Bearer ${deviceKey}`,
    'pinpad-poi': poiId,
    'pinpad-clock': bed.stack.runtime.clockId ?? '',
  });
  if (typeof link !== 'number') bed.beforeClose(() => link.destroy());
  return link;
}

/** As {@link dialAs}, for those who expect to be let in. */
export async function linkAs(
  bed: StackBed,
  path: '/poi' | '/emulator',
  terminal: Pick<OwnTerminal, 'poiId' | 'deviceKey'>,
): Promise<RawWebSocket> {
  const link = await dialAs(bed, path, terminal);
  if (typeof link === 'number') throw new Error(`${path} refuses with ${link}`);
  return link;
}
