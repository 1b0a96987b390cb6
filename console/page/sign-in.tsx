/** Exchanges the code in a link for the cookie, and removes it from the address and the history. */
export async function signInByLink(): Promise<void> {
  const code = codeOfLink();
  if (code === undefined) return;
  history.replaceState(null, '', '/console');
  await fetch('/console/sign-in', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => {}); // if this failed, the stream reports the error
}

/**
 * Reloads the page when a link is opened in a window that shows the console already. Such a link changes only the
 * fragment, which loads nothing by itself.
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
export function SignedOut() {
  return (
    <main class="signed-out">
      <h1>pinpad</h1>
      <p>This browser is not signed in to the gateway.</p>
      <p>
        Run <code>pinpad console</code> beside the gateway: it prints a link that signs in once. So does{' '}
        <code>pinpad up</code> when it starts.
      </p>
      <p class="none">A link works once, within 15 minutes. A new control token ends all sessions.</p>
    </main>
  );
}
