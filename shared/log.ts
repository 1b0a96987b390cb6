import { type Logger, pino } from 'pino';
import type { Journal, JournalEntry, JournalKind } from './journal.ts';
import type { Finding } from './lint/finding.ts';
import type { LogLevel } from './log-levels.ts';
import { makeJsonPrintable } from './printable.ts';

const levels: Partial<Record<JournalKind, 'warn' | 'info'>> = {
  warning: 'warn',
  'payment.accepted': 'info',
  'payment.concluded': 'info',
  'payment.lost': 'warn',
  'payment.lateResult': 'warn',
  'gateway.joined': 'info',
  'link.opened': 'info',
  'link.closed': 'info',
  'terminal.power': 'info',
  'terminal.cutPlanned': 'info',
  'terminal.network': 'info',
  'moment.paused': 'info',
  'gateway.crashed': 'warn',
  'moment.set': 'info',
  'moment.cleared': 'info',
  'terminal.flapping': 'info',
  'terminal.latency': 'info',
  'fault.injected': 'info',
  'ledger.reversed': 'info',
  'debit.changed': 'info',
  'refund.changed': 'info',
  'credit.changed': 'info',
  'webhook.faulted': 'info',
  'webhook.failed': 'warn',
  'webhook.disabled': 'warn',
};

/** Makes the program's log. It writes JSON lines to standard error, because standard output is only for answers. */
export function createLog(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The log contains texts from clients, such as their User-Agent, and people may read it in a terminal window. So
      // the characters that can control such a window are escaped.
      hooks: { streamWrite: makeJsonPrintable },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** Writes a mistake of a point of sale as one line of the log (B255). */
export function logFinding(log: Logger, { rule, severity, what, fix, link, payment }: Finding): void {
  log[severity === 'error' ? 'error' : 'warn']({ rule, what, fix, link, payment }, 'finding');
}

/** Writes the journal's entries as log lines. */
export function startLoggingJournal(journal: Journal, log: Logger): () => void {
  if (log.isLevelEnabled('debug')) void journal.complete();
  return journal.listen((entry: JournalEntry) => {
    const { kind, seq, terminal, payment } = entry;
    const level = levels[kind] ?? 'debug';
    if (log.isLevelEnabled(level)) log[level]({ seq, terminal, payment, ...entry.data }, kind);
  });
}
