import { useRef, useState } from 'preact/hooks';
import type { ScreenState } from '../../../shared/emulator/screen.ts';
import { LatestSaleMistake, LatestSales, latestSalesCount } from '../sales/latest-sales.tsx';
import { StrayFindings } from '../sales/stray-findings.tsx';
import { useSales } from '../sales/use-sales.ts';
import { useConsoleStore } from '../use-store.ts';
import { Device, type DeviceAct } from './device.tsx';
import { findKeyMeaning, type KeyMeaning } from './device-keys.ts';
import { KeyHelp } from './key-help.tsx';
import { SaleForm } from './sale-form.tsx';
import { CardTray, findCards } from './tray.tsx';
import { useDeviceKeys } from './use-device-keys.ts';
import { useTerminalCalls } from './use-terminal-calls.ts';

const asksForNumber = new Set<ScreenState | undefined>(['keyedNumber', 'keyedExpiry']);

/** Shows every terminal as a device, and the cards to present to it. */
export function TerminalsPane() {
  const store = useConsoleStore();
  const [inView, setInView] = useState<string>();
  const [search, setSearch] = useState('');
  const [cardId, setCardId] = useState<string>();
  const [help, setHelp] = useState(false);
  const { sales } = useSales(latestSalesCount);
  const searchRef = useRef<HTMLInputElement>(null);
  const amountRef = useRef<HTMLInputElement>(null);

  const usable = store.usable.filter(({ poiId }) => store.screen(poiId));
  const current = usable.find(({ poiId }) => poiId === inView) ?? usable[0];
  const cards = findCards(store.cards, search);
  const card = cards.find(({ id }) => id === cardId) ?? cards[0];

  const { notices, say, act, unblock, swipe } = useTerminalCalls(card);
  const carryOut = (meaning: KeyMeaning) => {
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
      const meaning = findKeyMeaning(key);
      if (meaning) carryOut(meaning);
      return meaning !== undefined;
    },
    onSwipe: async (tracks) => current && swipe(current.poiId, tracks),
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
        <LatestSaleMistake sales={sales} />
        <StrayFindings />
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

/** Returns the element `by` places after `from`. After the last element comes the first. */
function step<T>(list: readonly T[], from: T | undefined, by: number): T | undefined {
  return list[(Math.max(0, list.indexOf(from as T)) + by + list.length) % list.length];
}
