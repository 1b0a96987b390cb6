import { useRef, useState } from 'preact/hooks';
import type { ScreenState } from '../../../shared/emulator/screen.ts';
import type { ConsoleStore } from '../console-store.ts';
import { control, path } from '../control.ts';
import { LatestSales, latestSales, WrongSale } from '../sales/latest-sales.tsx';
import { StrayFindings } from '../sales/stray-findings.tsx';
import { useSales } from '../sales/use-sales.ts';
import { Device, type DeviceAct } from './device.tsx';
import { type KeyMeaning, meaningOf } from './device-keys.ts';
import { SaleForm } from './sale-form.tsx';
import { CardTray, foundCards } from './tray.tsx';
import { useDeviceKeys } from './use-device-keys.ts';

const asksForNumber = new Set<ScreenState | undefined>(['keyedNumber', 'keyedExpiry']);

/** Every terminal as a device, and the cards to present to it. */
export function TerminalsPane({ store }: { store: ConsoleStore }) {
  const [inView, setInView] = useState<string>();
  const [search, setSearch] = useState('');
  const [cardId, setCardId] = useState<string>();
  const [notices, setNotices] = useState<Record<string, string | undefined>>({});
  const [help, setHelp] = useState(false);
  const { sales } = useSales(store, latestSales);
  const searchRef = useRef<HTMLInputElement>(null);
  const amountRef = useRef<HTMLInputElement>(null);

  const usable = store.usable.filter(({ poiId }) => store.screen(poiId));
  const current = usable.find(({ poiId }) => poiId === inView) ?? usable[0];
  const cards = foundCards(store.cards, search);
  const card = cards.find(({ id }) => id === cardId) ?? cards[0];

  const say = (poiId: string, line?: string) => setNotices((before) => ({ ...before, [poiId]: line }));
  /** What is done at a terminal arrives there in its order, also where several keys are let go at once. */
  const lastCalls = useRef(new Map<string, Promise<unknown>>());
  const call = (poiId: string, action: string, body?: unknown) => {
    const send = () => {
      say(poiId);
      return control('POST', `${path`/terminals/${poiId}/`}${action}`, body).catch((error: Error) =>
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
      void control('POST', path`/cards/${card.id}/reset`).catch((error: Error) => say(poiId, error.message));
  };
  const step = <T,>(list: readonly T[], from: T | undefined, by: number) =>
    list[(Math.max(0, list.indexOf(from as T)) + by + list.length) % list.length];
  const mean = (meaning: KeyMeaning) => {
    if (meaning.do === 'search') return searchRef.current?.focus();
    if (meaning.do === 'sale') return amountRef.current?.focus();
    if (meaning.do === 'help') return setHelp(!help);
    if (meaning.do === 'card') return setCardId(step(cards, card, meaning.by)?.id);
    if (meaning.do === 'view') return setInView(step(usable, current, meaning.by)?.poiId);
    if (!current) return;
    if (meaning.do === 'unblock') unblock(current.poiId);
    else act(current.poiId, meaning as DeviceAct);
  };
  useDeviceKeys({
    clock: store.clock,
    wedge: current ? store.offers.wedge : null,
    takesNumber: asksForNumber.has(current && store.screen(current.poiId)?.state),
    onKey: (key) => {
      const meaning = meaningOf(key);
      if (meaning) mean(meaning);
      return meaning !== undefined;
    },
    onSwipe: async (tracks) => {
      if (!current) return;
      const body = { terminal: current.poiId, tracks };
      const { problem } = await control<{ problem: string | null }>('POST', '/console/swipes', body).catch(
        (error: Error) => ({ problem: error.message }),
      );
      say(current.poiId, problem ?? undefined);
    },
  });

  return (
    <div class="terminals">
      <div class="bench">
        {store.offers.sell && current && (
          <SaleForm poiId={current.poiId} amountRef={amountRef} onEnd={() => say(current.poiId)} />
        )}
        {usable.length === 0 && (
          <p class="none nothing">
            No terminal is connected. <code>pinpad up</code> starts two; <code>pinpad terminal</code> starts
            others.
          </p>
        )}
        <WrongSale sales={sales} />
        <StrayFindings store={store} />
        <div class="devices-and-sales">
          <div class="devices">
            {usable.map(({ poiId }) => (
              <Device
                key={poiId}
                poiId={poiId}
                store={store.storeOf(poiId)}
                screen={store.screen(poiId) as NonNullable<ReturnType<typeof store.screen>>}
                cableIn={store.cableIn(poiId)}
                inView={poiId === current?.poiId}
                onView={() => setInView(poiId)}
                act={(wanted) => act(poiId, wanted)}
                inserted={store.cards.find(({ id }) => id === store.screen(poiId)?.card?.id)}
                outcome={store.lastOutcome(poiId)}
                notice={notices[poiId]}
                receipts={store.receipts(poiId)}
                payment={store.latestPayment(poiId)}
                chosen={card}
                onUnblock={() => unblock(poiId)}
              />
            ))}
          </div>
          <LatestSales sales={sales} />
        </div>
        <KeyHelp open={help} />
      </div>
      <CardTray
        cards={cards}
        search={search}
        onSearch={setSearch}
        searchRef={searchRef}
        selected={card}
        onSelect={setCardId}
        onStep={(by) => setCardId(step(cards, card, by)?.id)}
        onDrop={(dropped, how, poiId) => {
          setInView(poiId);
          act(poiId, { do: how }, dropped);
        }}
      />
    </div>
  );
}

const helpLines = [
  ['0 … 9', 'the terminal’s keys'],
  ['Enter', 'enter'],
  ['Backspace', 'clear'],
  ['Esc', 'cancel'],
  ['i t s k', 'insert, tap, swipe, key in the chosen card'],
  ['r', 'remove the card'],
  ['u', 'unblock the card'],
  ['↑ ↓', 'choose a card'],
  ['← →', 'choose a terminal'],
  ['/', 'search the cards'],
  ['a', 'ring up a sale'],
  ['p n', 'power, network cable'],
] as const;

function KeyHelp({ open }: { open: boolean }) {
  return (
    <details class="key-help" open={open}>
      <summary>
        Keys <kbd>?</kbd>
      </summary>
      <dl>
        {helpLines.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
