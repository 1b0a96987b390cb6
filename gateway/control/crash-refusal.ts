import type { Services } from '../services.ts';

type Parts = Pick<Services, 'moments' | 'store' | 'runtime' | 'poi' | 'terminals' | 'emulatorServer'>;

/** Why the gateway cannot crash within its process; undefined if it can (B283). */
export async function crashRefusal(parts: Parts): Promise<string | undefined> {
  const { moments, store } = parts;
  if (store.isShared)
    return 'A gateway whose data are in PostgreSQL cannot crash within its process: kill it';
  if (!moments.canCrash) return 'The gateway keeps its data in memory: a crash needs a data folder (--data)';
  if (await hasProductionToken(parts))
    return 'There are production tokens, and a crash acts on the whole gateway: revoke them';
  return foreignTerminal(parts);
}

async function hasProductionToken({ store, runtime }: Parts): Promise<boolean> {
  const found = await store.read((db) =>
    db
      .selectFrom('tokens')
      .select('id')
      .where('environment', '=', 'production')
      .where('revoked_at', 'is', null)
      .where((where) =>
        where.or([where('expires_at', 'is', null), where('expires_at', '>', runtime.clock.now())]),
      )
      .executeTakeFirst(),
  );
  return found !== undefined;
}

/**
 * The refusal if a terminal is connected that no emulator of this process hosts. It may have come since a crash was
 * set.
 */
export function foreignTerminal({
  poi,
  terminals,
  emulatorServer,
}: Pick<Parts, 'poi' | 'terminals' | 'emulatorServer'>): string | undefined {
  for (const id of poi.connectedTerminals()) {
    const poiId = terminals.byId(id)?.poiId;
    if (poiId !== undefined && !emulatorServer.hostsInProcess(poiId))
      return `The terminal ${poiId} is of another process, and a crash is of this one alone`;
  }
  return undefined;
}
