import type { CardSummary } from '../../../shared/emulator/cards.ts';
import type { PrintedReceipt } from '../../../shared/emulator/frames.ts';
import type { Screen, TerminalKey } from '../../../shared/emulator/screen.ts';
import type { LastPaymentState } from '../last-payment-state.ts';
import { linkTo } from '../route.ts';
import { Display, preventFocusMove } from './display.tsx';
import { Keypad } from './keypad.tsx';
import { PresentCardButtons } from './present-card-buttons.tsx';
import { Receipts } from './receipts.tsx';
import { CardArt, ContactlessSymbol } from './tray.tsx';

/** The actions at a terminal. */
export type DeviceAct =
  | { readonly do: 'press'; readonly key: TerminalKey }
  | { readonly do: 'insert' | 'tap' | 'swipe' | 'key-in' | 'remove' | 'power' | 'network' };

interface DeviceProps {
  readonly poiId: string;
  /** The name of the terminal's store. */
  readonly store: string;
  readonly screen: Screen;
  readonly cableIn: boolean;
  readonly inView: boolean;
  readonly onView: () => void;
  readonly act: (act: DeviceAct) => void;
  /** The card in the slot, in the form in which the tray lists it. */
  readonly inserted: CardSummary | undefined;
  readonly outcome: LastPaymentState | undefined;
  readonly notice: string | undefined;
  readonly receipts: readonly PrintedReceipt[];
  /** The latest payment that was sent to the terminal. */
  readonly payment: string | undefined;
  /** The card that is chosen in the tray. */
  readonly chosen: CardSummary | undefined;
  readonly onUnblock: () => void;
}

/** A terminal: lamps, reader, display, keys, slot, and printed receipts. */
export function Device(props: DeviceProps) {
  const { poiId, screen, act, inView } = props;
  return (
    <article
      class={`device ${inView ? 'in-view' : ''} ${screen.lamps.power ? '' : 'is-off'}`}
      aria-label={`Terminal ${poiId}`}
      data-terminal={poiId}
      data-state={screen.state}
      onPointerDownCapture={props.onView}
      onFocusCapture={props.onView}
    >
      <header>
        <h2>
          {poiId} {props.store && <span class="store">{props.store}</span>}
        </h2>
        <PowerAndNetwork {...props} />
      </header>
      <div class="body">
        <ContactlessReader {...props} />
        <Display screen={screen} onPress={(key) => act({ do: 'press', key })} />
        <Keypad live={screen.keys} onPress={(key) => act({ do: 'press', key })} />
        <button
          type="button"
          class={`stripe ${screen.entries.includes('MagStripe') ? 'waits' : ''}`}
          data-drop="swipe"
          data-terminal={poiId}
          aria-label="Swipe the chosen card"
          onMouseDown={preventFocusMove}
          onClick={() => act({ do: 'swipe' })}
        >
          <span>swipe</span>
        </button>
      </div>
      <Slot {...props} />
      {props.chosen && (
        <PresentCardButtons
          card={props.chosen}
          entries={screen.entries}
          act={(way) => act({ do: way })}
          onUnblock={props.onUnblock}
        />
      )}
      <p class={`outcome ${props.outcome?.tone ?? ''}`} aria-live="polite">
        {props.notice ? (
          <span class="problem">{props.notice}</span>
        ) : (
          props.outcome && (
            <a href={linkTo('traffic', { payment: props.outcome.payment })}>{props.outcome.text}</a>
          )
        )}
      </p>
      <Receipts receipts={props.receipts} latest={props.payment} />
    </article>
  );
}

function PowerAndNetwork({ screen: { lamps }, cableIn, act }: DeviceProps) {
  return (
    <>
      <button type="button" class="lamp" aria-pressed={lamps.power} onClick={() => act({ do: 'power' })}>
        <i class={lamps.power ? 'lit' : ''} /> Power
      </button>
      <button type="button" class="lamp" aria-pressed={cableIn} onClick={() => act({ do: 'network' })}>
        <i class={lamps.network ? 'lit' : 'lost'} /> {cableIn ? 'Network' : 'No cable'}
      </button>
    </>
  );
}

function ContactlessReader({ poiId, screen: { entries, lamps }, act }: DeviceProps) {
  return (
    <button
      type="button"
      class={`reader ${entries.includes('Contactless') ? 'waits' : ''}`}
      data-drop="tap"
      data-terminal={poiId}
      aria-label="Tap the chosen card"
      onMouseDown={preventFocusMove}
      onClick={() => act({ do: 'tap' })}
    >
      <ContactlessSymbol />
      <span class="leds" role="img" aria-label={`${lamps.contactless} of 4 contactless lamps lit`}>
        {[1, 2, 3, 4].map((led) => (
          <i key={led} class={led <= lamps.contactless ? 'lit' : ''} />
        ))}
      </span>
    </button>
  );
}

function Slot({ poiId, screen, inserted, act }: DeviceProps) {
  const { card, entries, lamps } = screen;
  const name = card ? `Remove ${card.label}` : 'Insert the chosen card';
  return (
    <button
      type="button"
      class={`slot ${card ? 'full' : ''} ${entries.includes('ICC') ? 'waits' : ''}`}
      data-drop="insert"
      data-terminal={poiId}
      aria-label={name}
      onMouseDown={preventFocusMove}
      onClick={() => act({ do: card ? 'remove' : 'insert' })}
    >
      <i class={`chip-lamp ${lamps.chip ? 'lit' : ''}`} />
      {card && (
        <span class="inserted">
          {inserted && <CardArt card={inserted} />}
          <span class="label">{card.label}</span>
        </span>
      )}
    </button>
  );
}
