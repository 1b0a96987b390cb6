import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ToolCallContext } from './tool.ts';
import type { ToolRunner } from './toolbox.ts';

/**
 * The maximum number of characters of a message. A longer message ends the connection, because no agent in proper use
 * sends such a message.
 */
const mostOfAMessage = 10_000_000;

/**
 * Serves the tools on standard input and output until the client disconnects; returns a function that ends the service.
 */
export async function serveTools(
  toolbox: ToolRunner,
  version: string,
  gone: () => void,
): Promise<() => Promise<void>> {
  const server = new Server(
    { name: 'pinpad', version },
    { capabilities: { tools: {} }, instructions: toolbox.instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolbox.list() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    const call: ToolCallContext = {
      signal,
      progress: (progress, total, message) => {
        if (progressToken === undefined || signal.aborted) return;
        const said = { progressToken, progress, message, ...(total !== undefined && { total }) };
        sendNotification({ method: 'notifications/progress', params: said }).catch(() => {});
      },
    };
    const { text, isError } = await toolbox.call(params.name, params.arguments ?? {}, call);
    return { content: [{ type: 'text', text }], isError };
  });
  server.onclose = gone;
  server.onerror = (error) => console.error(`pinpad: ${error.message.slice(0, 200)}`);
  for (const event of ['end', 'close', 'error']) process.stdin.once(event, gone);
  await server.connect(
    new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: mostOfAMessage }),
  );
  return () => server.close();
}
