import { NodeProcess } from '../../test/node-process.ts';
import type { Target } from './target.ts';

interface Ready {
  url: string;
  terminals: string[];
}

export async function startRelay(options: {
  terminals: number;
  answerBytes: number;
  split: boolean;
  /** Whether the relay passes bodies on without reading them. */
  lean?: boolean;
}): Promise<Target> {
  const start = (...args: string[]) =>
    NodeProcess.start<Ready>('bench/targets/relay.ts', [
      `--terminals=${options.terminals}`,
      `--answer-bytes=${options.answerBytes}`,
      ...(options.lean ? ['--lean'] : []),
      ...args,
    ]);
  const gateway = await start(...(options.split ? ['--without-terminals'] : []));
  const others = options.split ? [await start(`--gateway=${gateway.ready.url}`)] : [];
  return { ...gateway.ready, token: 'none', processes: [gateway, ...others] };
}
