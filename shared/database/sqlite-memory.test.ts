import { expect, test } from 'vitest';
import { connectSqlite } from './sqlite-connection.ts';
import { memoryOf } from './sqlite-memory.ts';

const tables = [
  'create table shops (id integer primary key autoincrement, name text not null)',
  'create table tills (id text primary key, shop integer not null references shops (id))',
  'create table kysely_migration (name text)',
  "insert into kysely_migration values ('0001')",
];

/** What a database begins as. */
function image(): Buffer {
  const connection = connectSqlite(':memory:', 'FULL');
  for (const statement of tables) connection.prepare(statement).run();
  const made = connection.image();
  connection.close();
  return made;
}

const selected = (connection: ReturnType<typeof memoryOf>, what: string) =>
  connection.prepare(`select ${what}`).all();

test('a database in memory that was closed begins again as the first did', () => {
  const begins = image();
  const first = memoryOf(begins);
  const statement = first.prepare('select name from shops');
  first.prepare("insert into shops (name) values ('Corner')").run();
  first.prepare("insert into tills values ('one', 1)").run();
  first.close();

  const second = memoryOf(begins);
  expect(second.prepare('select name from shops')).toBe(statement); // it is the same one
  expect(selected(second, 'name from shops')).toEqual([]);
  expect(selected(second, 'id from tills')).toEqual([]);
  expect(selected(second, 'name from kysely_migration')).toEqual([{ name: '0001' }]);
  expect(() => second.prepare("insert into tills values ('two', 1)").run()).toThrow('FOREIGN KEY');
  second.prepare("insert into shops (name) values ('Bar')").run();
  expect(selected(second, 'id from shops')).toEqual([{ id: 1 }]);
});

test('who has closed one does not see what the next keeps in it, and closes nothing of it', () => {
  const begins = image();
  const first = memoryOf(begins);
  first.close();
  const second = memoryOf(begins);
  second.prepare("insert into shops (name) values ('Bar')").run();
  expect(() => selected(first, 'name from shops')).toThrow('not open');
  first.close();
  expect(selected(second, 'name from shops')).toEqual([{ name: 'Bar' }]);
});

test('one that is open, has other tables, an open transaction or much in it is not used again', () => {
  const begins = image();
  const open = memoryOf(begins);
  open.prepare("insert into shops (name) values ('Bar')").run();
  expect(selected(memoryOf(begins), 'name from shops')).toEqual([]);

  const ways = [
    'create table others (id text)',
    'begin',
    'insert into shops (name) values (zeroblob(5000000))',
  ];
  for (const way of ways) {
    const used = memoryOf(begins);
    const statement = used.prepare('select 1');
    used.prepare(way).run();
    used.close();
    expect(memoryOf(begins).prepare('select 1'), way).not.toBe(statement);
  }
});
