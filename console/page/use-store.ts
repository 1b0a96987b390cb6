import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleStore } from './console-store.ts';

/**
 * The store whose data the shell and all of its parts show. When the store changes, the shell and all of its parts
 * are drawn again.
 */
export const ConsoleStoreContext = createContext({} as ConsoleStore);

export function useConsoleStore(): ConsoleStore {
  return useContext(ConsoleStoreContext);
}
