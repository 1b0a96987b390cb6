import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * Starts the baseline: a gateway with no logic. Express parses a POST. One WebSocket message takes the body to the
 * terminal that the path names, and the terminal's reply is the answer. Nothing is checked, remembered or written.
 * Requests that need no terminal are answered at once, so they measure plain Express.
 */
export async function startRelayGateway(): Promise<string> {
  const terminals = new Map<string, WebSocket>();
  const waiting = new Map<number, (answer: unknown) => void>();
  let sent = 0;

  const app = express();
  app.use(express.json());
  app.post('/terminals/:terminalId/payment-request', (request, response) => {
    const id = sent++;
    waiting.set(id, (answer) => response.json(answer));
    terminals.get(request.params.terminalId)?.send(JSON.stringify({ id, body: request.body }));
  });

  const id = '019b78ce-9280-7000-8000-5f3759df0003';
  app.post('/contact/:contact/creditCards/:card/charge', ({ body, params }, response) => {
    const { contact: contact_id, card: from_credit_card_id } = params;
    response.json({ debit_id: id, ...body, contact_id, from_credit_card_id, transaction_state: 'paid' });
  });
  app.post('/debit/:debit/refunds', ({ body }, response) => {
    response.status(201).json({ id, ...body, status: 'processing' });
  });

  const server = createServer(app);
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket, request) => {
    terminals.set(request.url?.split('/').at(-1) ?? '', socket);
    socket.on('message', (data: Buffer) => {
      const { id, answer } = JSON.parse(data.toString()) as { id: number; answer: unknown };
      waiting.get(id)?.(answer);
      waiting.delete(id);
    });
  });
  return startListening(server);
}

/** Makes a server listen on a free port of loopback. Resolves to its address. */
export async function startListening(server: Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
