/**
 * Exchanges the code in a link for the cookie that signs the user in. Removes the code from the page's address and
 * from the browser's history.
 */
export async function signInByLink(): Promise<void> {
  const code = codeOfLink();
  if (code === undefined) return;
  history.replaceState(null, '', '/console');
  await fetch('/console/sign-in', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => {}); // if the exchange failed, the stream reports the error
}

/**
 * Reloads the page when a link is opened in a window that already shows the console. Such a link changes only the
 * fragment of the address, and a browser does not load the page for a new fragment.
 */
export function reloadOnNewLink(): void {
  addEventListener('hashchange', () => {
    if (codeOfLink() !== undefined) location.reload();
  });
}

function codeOfLink(): string | undefined {
  return /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1];
}

/** Tells users who are not signed in how to sign in. */
export function SignInInstructions() {
  return (
    <main class="signed-out">
      <h1>pinpad</h1>
      <p>This browser is not signed in to the gateway.</p>
      <p>
        Run <code>pinpad console</code> on the machine of the gateway. The command prints a link with which
        you can sign in once. You also get a link from <code>pinpad up</code> when it starts.
      </p>
      <p class="none">A link works once, within 15 minutes. A new control token ends all sessions.</p>
    </main>
  );
}
