import type { Services } from '../services.ts';

type Parts = Pick<Services, 'moments' | 'store' | 'runtime' | 'poi' | 'terminals' | 'emulatorServer'>;

/** Gives the reason why the gateway cannot crash and start again within its process; undefined if it can (B283). */
export async function findCrashRefusal(parts: Parts): Promise<string | undefined> {
  const { moments, store } = parts;
  if (store.isShared) return 'A gateway with PostgreSQL cannot simulate a crash: kill its process instead';
  if (!moments.canCrash)
    return 'The gateway keeps its data in memory. To crash and start again, it needs a data folder (--data)';
  if (await hasProductionToken(parts))
    return 'A crash affects the whole gateway, and the gateway has production tokens: revoke these tokens first';
  return findForeignTerminalRefusal(parts);
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
 * Gives the reason to refuse a crash if a connected terminal runs in another process; undefined if there is no such
 * terminal. Such a terminal may have connected after a test planned a crash.
 */
export function findForeignTerminalRefusal({
  poi,
  terminals,
  emulatorServer,
}: Pick<Parts, 'poi' | 'terminals' | 'emulatorServer'>): string | undefined {
  for (const id of poi.connectedTerminals()) {
    const poiId = terminals.byId(id)?.poiId;
    if (poiId !== undefined && !emulatorServer.hostsInProcess(poiId))
      return `A crash cannot be set for the terminal ${poiId}, because it runs in another process`;
  }
  return undefined;
}
