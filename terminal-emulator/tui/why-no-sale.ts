import type { ScreenState } from '../../shared/emulator/screen.ts';
import { findSelectedTerminalAndScreen, type TuiState } from './state.ts';

/** The screens on which a new payment can begin. Some of them still show the result of the last payment. */
const free: ScreenState[] = ['idle', 'approved', 'declined', 'cancelled', 'cardNotAccepted', 'printing'];

/** Returns the reason why a sale on the terminal in view would fail now. Undefined if the sale would not fail. */
export function findSaleObstacle(state: TuiState): string | undefined {
  const selected = findSelectedTerminalAndScreen(state);
  if (!selected) return 'there is no terminal';
  const { screen } = selected;
  if (screen.state === 'off') return 'the terminal is off';
  if (!screen.lamps.network) return 'the terminal has no connection';
  if (screen.card) return 'a card is in the slot';
  return free.includes(screen.state) ? undefined : 'a payment is under way';
}
