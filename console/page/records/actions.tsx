import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { control } from '../control.ts';

interface ActionProps {
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly onDone: () => void;
  readonly children: ComponentChildren;
  readonly disabled?: boolean;
}

/** A button that makes a call to the gateway, and shows the reason if that fails. */
export function Action({ method = 'POST', path, body, onDone, children, disabled = false }: ActionProps) {
  const [problem, say] = useState<string>();
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    say(undefined);
    try {
      await control(method, path, body);
      onDone();
    } catch (error) {
      say((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="action">
      <button type="button" disabled={disabled || busy} onClick={act}>
        {children}
      </button>
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
