import { useRef, useState } from 'preact/hooks';
import type { CardSummary } from '../../../shared/emulator/cards.ts';
import { callControl, encodePath } from '../control.ts';
import { useConsoleStore } from '../use-store.ts';
import type { DeviceAct } from './device.tsx';

/**
 * Returns functions for the actions at terminals. Each function makes a call to the gateway. If a call is refused, the
 * reason is shown as a notice of the terminal until the next call.
 */
export function useTerminalCalls(card: CardSummary | undefined) {
  const store = useConsoleStore();
  const [notices, setNotices] = useState<Record<string, string | undefined>>({});
  const say = (poiId: string, line?: string) => setNotices((before) => ({ ...before, [poiId]: line }));
  /**
   * The last call to each terminal. The next call waits until the last call is answered. So actions arrive in order,
   * even if several keys are released at once.
   */
  const lastCalls = useRef(new Map<string, Promise<unknown>>());
  const call = (poiId: string, action: string, body?: unknown) => {
    const send = () => {
      say(poiId);
      return callControl('POST', `${encodePath`/terminals/${poiId}/`}${action}`, body).catch((error: Error) =>
        say(poiId, error.message),
      );
    };
    lastCalls.current.set(poiId, (lastCalls.current.get(poiId) ?? Promise.resolve()).then(send));
  };
  const act = (poiId: string, wanted: DeviceAct, chosen = card) => {
    const screen = store.screen(poiId);
    if (!screen) return;
    switch (wanted.do) {
      case 'press':
        return call(poiId, 'press', { key: wanted.key });
      case 'remove':
        return call(poiId, 'remove');
      case 'power':
        return call(poiId, 'power', { on: !screen.lamps.power });
      case 'network':
        return call(poiId, 'network', { up: !store.cableIn(poiId) });
      case 'insert':
      case 'tap':
      case 'swipe':
      case 'key-in':
        return chosen ? call(poiId, wanted.do, { card: chosen.id }) : say(poiId, 'Choose a card first');
    }
  };
  const unblock = (poiId: string) => {
    if (card)
      void callControl('POST', encodePath`/cards/${card.id}/reset`).catch((error: Error) =>
        say(poiId, error.message),
      );
  };
  const swipe = async (poiId: string, tracks: string) => {
    const body = { terminal: poiId, tracks };
    const { problem } = await callControl<{ problem: string | null }>('POST', '/console/swipes', body).catch(
      (error: Error) => ({ problem: error.message }),
    );
    say(poiId, problem ?? undefined);
  };
  return { notices, say, act, unblock, swipe };
}
