import { once } from 'node:events';
import { WebSocket } from 'ws';

/** The relay's terminals: one socket each, and to every message the same answer of `answerBytes`. */
export async function startRelayTerminals(
  url: string,
  terminals: readonly string[],
  answerBytes: number,
): Promise<void> {
  const answer = answerOf(answerBytes);
  await Promise.all(
    terminals.map(async (terminal) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/${terminal}`, { perMessageDeflate: false });
      socket.on('message', (data: Buffer) => {
        const { id } = JSON.parse(data.toString()) as { id: number };
        socket.send(JSON.stringify({ id, answer }));
      });
      await once(socket, 'open');
    }),
  );
}

/** As many short members as a real answer has, since parsing costs by members, not by bytes alone. */
function answerOf(bytes: number): unknown {
  const answer = { response: { result: 'success' }, lines: [] as unknown[] };
  while (JSON.stringify(answer).length < bytes)
    answer.lines.push({ text: { name: 'Total', value: '25.00', key: 'total' }, endOfLineFlag: true });
  return answer;
}
