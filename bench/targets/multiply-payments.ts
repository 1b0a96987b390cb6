import SQLite from 'better-sqlite3';
import { v7 } from 'uuid';

type Row = Record<string, string | number | null>;

/**
 * Adds `count` payments to a gateway's database. Each is a copy of a real payment, but has identifiers and keys of
 * its own. The copies are spread evenly over the last `hours`.
 */
export function multiplyPayments(file: string, count: number, hours: number): void {
  const db = new SQLite(file);
  db.pragma('synchronous = OFF');
  const templates = db
    .prepare<[], Row>('select * from payments limit 100')
    .all()
    .map((payment) => ({
      payment,
      results: db
        .prepare<unknown[], Row>('select * from payment_results where payment_id = ?')
        .all(payment.id),
      ledger: db.prepare<unknown[], Row>('select * from ledger where payment_id = ?').all(payment.id),
    }));
  const into = {
    payments: inserter(db, 'payments'),
    results: inserter(db, 'payment_results'),
    ledger: inserter(db, 'ledger'),
  };
  const stepMs = (hours * 3_600_000) / count;
  const firstMs = Date.now() - hours * 3_600_000;
  for (let nth = 0; nth < count; ) {
    db.exec('begin');
    for (const end = Math.min(count, nth + 20_000); nth < end; nth++) {
      const template = templates[nth % templates.length];
      if (!template) throw new Error('there is no payment to copy');
      const atMs = Math.floor(firstMs + nth * stepMs);
      const { id, service_id } = template.payment;
      const renamed = {
        [String(id)]: v7({ msecs: atMs }),
        [String(service_id)]: nth.toString(36).toUpperCase().padStart(10, '0'),
      };
      into.payments(copy(template.payment, renamed, { idempotency_key: `stored-${nth}`, accepted_at: atMs }));
      for (const row of template.results) into.results(copy(row, renamed, { concluded_at: atMs }));
      for (const row of template.ledger)
        into.ledger(copy(row, renamed, { id: v7({ msecs: atMs }), at: atMs }));
    }
    db.exec('commit');
  }
  db.close();
}

function inserter(db: SQLite.Database, table: string): (row: Row) => void {
  const columns = db.prepare<[], { name: string }>(`select name from pragma_table_info('${table}')`).all();
  const insert = db.prepare(
    `insert into ${table} values (${columns.map(({ name }) => `@${name}`).join(', ')})`,
  );
  return (row) => insert.run(row);
}

/**
 * Copies a row. Identifiers are replaced wherever they occur, even inside the row's JSON, and some columns get other
 * values.
 */
function copy(row: Row, renamed: Record<string, string>, values: Row): Row {
  const copied = Object.entries(row).map(([column, value]) => {
    let text = value;
    for (const [from, to] of Object.entries(renamed))
      if (typeof text === 'string') text = text.replaceAll(from, to);
    return [column, text];
  });
  return { ...Object.fromEntries(copied), ...values };
}
