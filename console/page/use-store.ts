import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleStore } from './console-store.ts';

/**
 * The store that the shell and everything in it show. When the store changes, the shell and everything in it are drawn
 * again.
 */
export const StoreContext = createContext({} as ConsoleStore);

export function useStore(): ConsoleStore {
  return useContext(StoreContext);
}
