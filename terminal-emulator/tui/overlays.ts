import type { Overlay } from './command.ts';
import type { TuiState } from './state.ts';

/** Opens something over what is open, which comes back when it is closed. */
export function over(state: TuiState, overlay: Overlay): TuiState {
  const { overlay: now } = state;
  if (now === overlay) return state;
  return {
    ...state,
    overlay,
    beneath: now ? [...state.beneath.filter((each) => each !== overlay), now] : [],
  };
}

/** What is under it comes back; a journal that nothing is under follows again, and lists all. */
export function close(state: TuiState): TuiState {
  const overlay = state.beneath.at(-1);
  const beneath = state.beneath.slice(0, -1);
  const left = state.overlay === 'journal' ? { journalAt: undefined, filter: '' } : {};
  return { ...state, ...left, overlay, beneath };
}
