import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { startRealStopwatch } from '../clock.ts';
import type { SqlStep } from './change.ts';
import { type BatchEnding, UnknownCommitOutcomeError } from './engine.ts';
import { checkSameFile } from './same-file.ts';
import { SqliteBatchRunner } from './sqlite-batches.ts';
import { connectSqlite } from './sqlite-connection.ts';
import type { BatchEndingMessage, ThreadData, ThreadReply, ThreadRequest } from './sqlite-thread.ts';

/** The program of the thread that writes batches; see {@link SqliteThread}. */
const { file, place, synchronous } = workerData as ThreadData;
const port = parentPort as MessagePort;
const committed = () => checkSameFile(file, place);
// the file is checked before SQLite opens it, because SQLite would make a new file in place of a missing one
committed();
const connection = connectSqlite(file, synchronous);
const batches = new SqliteBatchRunner(connection, committed);
const statements: SqlStep['statement'][] = [];

port.on('message', (first: ThreadRequest | 'close') => {
  const messages = [first];
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
    messages.push(more.message);
  const asked = messages.filter((message) => message !== 'close');
  if (asked.length > 0) say(applied(asked));
  if (asked.length === messages.length) return;
  connection.close();
  port.close();
});
say('open');

/** Applies all requests that have come so far, in one transaction if no batch fails. */
function applied(asked: readonly ThreadRequest[]): ThreadReply {
  const tookMs = startRealStopwatch();
  try {
    const steps = asked.map(stepsOf);
    const endings = batches.apply(steps.flat());
    return {
      endings: steps.map((own) => messagesOf(endings.splice(0, own.length))),
      tookMs: tookMs(),
    };
  } catch (error) {
    if (error instanceof UnknownCommitOutcomeError) return { unknown: error.message };
    throw error;
  }
}

function stepsOf({ newStatements, batches }: ThreadRequest): SqlStep[][] {
  statements.push(...newStatements);
  return batches.map((batch) =>
    batch.map(([number, values]) => ({ statement: statements[number] as SqlStep['statement'], values })),
  );
}

function messagesOf(endings: readonly BatchEnding[]): 'applied' | BatchEndingMessage[] {
  if (endings.every(({ is }) => is === 'applied')) return 'applied';
  return endings.map((ending) => {
    if (ending.is === 'applied') return ending;
    const { message, code } = ending.error as Error & { code?: unknown };
    return { ...ending, error: { message, code } };
  });
}

function say(said: ThreadReply): void {
  port.postMessage(said);
}
