import type { ComponentChildren } from 'preact';
import { callControl } from '../control.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';

interface ActionProps {
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly onDone: () => void;
  readonly children: ComponentChildren;
  readonly disabled?: boolean;
}

/** A button that makes a call to the gateway, and shows the reason if that fails. */
export function GatewayCallButton({
  method = 'POST',
  path,
  body,
  onDone,
  children,
  disabled = false,
}: ActionProps) {
  const { act, busy, problem } = useGatewayCalls();
  const send = () => act(() => callControl(method, path, body).then(onDone));
  return (
    <span class="action">
      <button type="button" disabled={disabled || busy} onClick={send}>
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
