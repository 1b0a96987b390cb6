import type { AutomaticShopperSettings, TerminalAction } from '../../shared/emulator/frames.ts';
import type { TroubleMode } from './source.ts';
import type { TuiState } from './state.ts';

/** An effect that a command has outside the text UI. */
export type TuiEffect =
  | { effect: 'act'; poiId: string; action: TerminalAction }
  | { effect: 'keyIn'; poiId: string; card: string }
  | { effect: 'shopper'; poiId: string; shopper: AutomaticShopperSettings | undefined }
  | { effect: 'sale'; poiId: string; amount: number; tip: boolean }
  | { effect: 'record' }
  | { effect: 'trouble'; poiId: string; id: string; mode: TroubleMode | undefined; after?: number }
  /** Asks the gateway what it knows about a payment. */
  | { effect: 'explain'; paymentId: string }
  /** `console` makes a link to the console. `browse` opens a link to the console in the browser of this machine. */
  | { effect: 'console' }
  | { effect: 'browse'; link: string }
  | { effect: 'quit' };

/** The state after a command, and the effect to carry out. */
export interface UpdateResult {
  readonly state: TuiState;
  readonly effect?: TuiEffect;
}
