import { render } from 'preact';
import { systemClock } from '../../shared/clock.ts';
import { ConsoleStore } from './console-store.ts';
import { Shell } from './shell.tsx';
import { signInByLink } from './sign-in.tsx';
import { openTrace } from './trace/open-trace.tsx';

const place = document.getElementById('app') as HTMLElement;
const trace = document.getElementById('trace')?.textContent;
if (trace) openTrace(trace, place);
else void openConsole();

async function openConsole(): Promise<void> {
  await signInByLink();
  const store = new ConsoleStore(systemClock);
  render(<Shell store={store} />, place);
  store.open();
}
