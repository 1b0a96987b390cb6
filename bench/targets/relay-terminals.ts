import { once } from 'node:events';
import { WebSocket } from 'ws';

/**
 * Starts the relay's terminals. Each terminal has one socket, and answers every message with the same `answerBytes`
 * bytes.
 */
export async function startRelayTerminals(options: {
  url: string;
  terminals: readonly string[];
  answerBytes: number;
  /** Whether terminals read only the number of a message, and send an answer that was turned into text in advance. */
  lean: boolean;
}): Promise<void> {
  const answer = answerOf(options.answerBytes);
  const reply = options.lean ? leanReply(JSON.stringify(answer)) : parsingReply(answer);
  await Promise.all(
    options.terminals.map(async (terminal) => {
      const url = `${options.url.replace('http', 'ws')}/${terminal}`;
      const socket = new WebSocket(url, { perMessageDeflate: false });
      socket.on('message', (data: Buffer) => socket.send(reply(data)));
      await once(socket, 'open');
    }),
  );
}

function parsingReply(answer: unknown): (message: Buffer) => string {
  return (message) => {
    const { id } = JSON.parse(message.toString()) as { id: number };
    return JSON.stringify({ id, answer });
  };
}

function leanReply(answer: string): (message: Buffer) => string {
  return (message) => `${message.toString('latin1', 0, message.indexOf(10))}\n${answer}`;
}

/**
 * Makes an answer that has as many short members as a real answer. Their number matters, because parsing takes time
 * for each member.
 */
function answerOf(bytes: number): unknown {
  const answer = { response: { result: 'success' }, lines: [] as unknown[] };
  while (JSON.stringify(answer).length < bytes)
    answer.lines.push({ text: { name: 'Total', value: '25.00', key: 'total' }, endOfLineFlag: true });
  return answer;
}
