import { useEffect, useMemo, useRef } from 'preact/hooks';
import { callControl } from './control.ts';
import { useObservable } from './observable.ts';
import { RecordsPane } from './records/records-pane.tsx';
import { linkTo, type Pane, paneTitles, useRoute } from './route.ts';
import { SalesPane } from './sales/sales-pane.tsx';
import { ScenariosPane } from './scenarios/scenarios-pane.tsx';
import { SignInInstructions } from './sign-in.tsx';
import { TerminalsPane } from './terminals/terminals-pane.tsx';
import { TrafficView } from './traffic/traffic-view.tsx';
import { TroublePane } from './trouble/trouble-pane.tsx';
import { useConsoleStore } from './use-store.ts';

/** The frame of the console: the links to the panes, the state of the connection, and the present pane. */
export function ConsoleFrame() {
  const store = useConsoleStore();
  useObservable(store);
  const { pane, asked } = useRoute();
  const nav = useRef<HTMLElement>(null);
  // In a narrow window only one link is visible, so the link of the present pane must be scrolled into view.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest' }),
    [pane],
  );
  if (store.connection === 'signedOut') return <SignInInstructions />;
  const signOut = async () => {
    await callControl('POST', '/console/sign-out').catch(() => {});
    store.signedOut();
  };
  return (
    <>
      <header class="shell">
        <a class="skip" href="#main">
          Skip to content
        </a>
        <a class="name" href={linkTo('terminals')}>
          pinpad
        </a>
        <nav aria-label="Panes" ref={nav}>
          {Object.entries(paneTitles).map(([name, title]) => (
            <a key={name} href={linkTo(name as Pane)} aria-current={name === pane ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <ConnectionState />
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main id="main" class={`pane-${pane}`} tabIndex={-1}>
        <PaneOf pane={pane} asked={asked} />
      </main>
    </>
  );
}

interface PaneProps {
  readonly pane: Pane;
  readonly asked: Readonly<Record<string, string>>;
}

function PaneOf({ pane, asked }: PaneProps) {
  const { log, offers } = useConsoleStore();
  const wanted = useMemo(() => {
    const { seq, ...filter } = asked;
    return { ...filter, ...(seq === undefined ? {} : { seq: Number(seq) }) };
  }, [asked]);
  switch (pane) {
    case 'terminals':
      return <TerminalsPane />;
    case 'sales':
      return <SalesPane asked={asked} />;
    case 'traffic':
      return (
        <TrafficView log={log} live={true} wanted={wanted} stepOf={offers.steps ? recordedStep : undefined} />
      );
    case 'records':
      return <RecordsPane asked={asked} />;
    case 'scenarios':
      return <ScenariosPane />;
    case 'trouble':
      return <TroublePane />;
  }
}

async function recordedStep(seq: number): Promise<string | undefined> {
  const { step } = await callControl<{ step: string | null }>('GET', `/console/steps/${seq}`);
  return step ?? undefined;
}

/** Shows whether the page is up to date. */
function ConnectionState() {
  const { connection, restarted } = useConsoleStore();
  const text = {
    connecting: 'Connecting …',
    live: restarted ? 'Live: the gateway was restarted, and earlier entries are gone' : 'Live',
    lost: 'The gateway does not answer, so this page shows the last known state. Trying again …',
    signedOut: '',
  }[connection];
  return (
    <p class={`connection ${connection}`} role="status">
      {text}
    </p>
  );
}
