import { render } from 'preact';
import { systemClock } from '../../shared/clock.ts';
import { ConsoleStore } from './console-store.ts';
import { ConsoleFrame } from './shell.tsx';
import { reloadOnNewLink, signInByLink } from './sign-in.tsx';
import { ConsoleStoreContext } from './use-store.ts';

/** The program of the console. */
reloadOnNewLink();
void signInByLink().then(() => {
  const store = new ConsoleStore(systemClock);
  render(
    <ConsoleStoreContext value={store}>
      <ConsoleFrame />
    </ConsoleStoreContext>,
    document.getElementById('app') as HTMLElement,
  );
  store.open();
});
