import { createServer, type ServerResponse } from 'node:http';
import express from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import { startListening } from './relay-gateway.ts';

/**
 * Starts the cheapest gateway that is possible. Like the relay, it has Express's routing and a WebSocket hop, but it
 * passes bodies on without reading them. A message is a number, a line break and the unchanged body.
 */
export async function startLeanGateway(): Promise<string> {
  const terminals = new Map<string, WebSocket>();
  const waiting = new Map<string, ServerResponse>();
  let sent = 0;

  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.post('/terminals/:terminalId/payment-request', (request, response) => {
    const id = String(sent++);
    const { terminalId } = request.params;
    waiting.set(id, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => terminals.get(terminalId)?.send(`${id}\n${chunks.join('')}`));
  });

  const server = createServer(app);
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket, request) => {
    terminals.set(request.url?.split('/').at(-1) ?? '', socket);
    socket.on('message', (data: Buffer) => {
      const lineEnd = data.indexOf(10);
      const id = data.toString('latin1', 0, lineEnd);
      const answer = data.subarray(lineEnd + 1);
      const headers = { 'Content-Type': 'application/json', 'Content-Length': answer.length };
      waiting.get(id)?.writeHead(200, headers).end(answer);
      waiting.delete(id);
    });
  });
  return startListening(server);
}
