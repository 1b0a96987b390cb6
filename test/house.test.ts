import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { behaviourRows, citedRows, projectTexts, showsBehaviour } from './behaviour-rows.ts';

/**
 * Tests the rules of the house (ARCHITECTURE.md, "Arrows"). A failure names the file that breaks a rule, and says what
 * to do.
 */

const root = join(import.meta.dirname, '..');
const rooms = [
  'cli',
  'console',
  'client',
  'gateway',
  'terminal-emulator',
  'shared',
  'scenarios',
  'explore',
  'leading',
  'stack',
  'testing',
  'bench',
  'test',
  'scripts',
];

const files = rooms
  .flatMap((room) => sourceFiles(room))
  .map((path) => ({
    path,
    room: path.split('/')[0] as string,
    isTest: /\.(test|fixture)\.ts$/.test(path) || path.startsWith('test/'),
    text: readFileSync(join(root, path), 'utf8'),
  }));
const product = files.filter((file) => !file.isTest && file.room !== 'bench' && file.room !== 'scripts');
/** Programs generate these files. */
const generated = ['client/openapi-types.ts'];

function sourceFiles(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
  } catch {
    return []; // a room that does not exist yet has no files
  }
}

function imports(file: { path: string; text: string }): string[] {
  const found = file.text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return Array.from(found, ([, target = '']) =>
    target.startsWith('.') ? normalize(join(dirname(file.path), target)) : target,
  );
}

/**
 * For each room, the paths that it may import. From some rooms it may import every file, from others only certain
 * files, mostly the doors (entry files).
 */
const arrows: Record<string, RegExp> = {
  shared: /^shared\//,
  gateway: /^(gateway|shared)\//,
  'terminal-emulator': /^(terminal-emulator|shared)\//,
  console:
    /^(console|shared)\/|^client\/openapi-types\.ts$|^terminal-emulator\/(tui\/journal-lines|readers\/wedge\/wedge-recogniser)\.ts$/,
  stack:
    /^(stack|shared)\/|^client\/(api-client|control-client|openapi-types)\.ts$|^(gateway|terminal-emulator|console)\/index\.ts$/,
  scenarios:
    /^(scenarios|shared|stack)\/|^client\/(api-client|control-client|openapi-types)\.ts$|^(gateway|terminal-emulator|console)\/index\.ts$|^package\.json$/,
  leading: /^(leading|shared)\//,
  explore:
    /^(explore|shared)\/|^client\/(api-client|control-client|openapi-types)\.ts$|^(stack|scenarios|leading)\/index\.ts$/,
  testing: /^(testing|shared)\/|^(gateway|terminal-emulator|stack|scenarios)\/index\.ts$/,
  client: /^client\//,
  cli: /^(cli|shared)\/|^client\/(api-client|control-client|openapi-types)\.ts$|^(gateway|terminal-emulator|stack|scenarios|explore|leading)\/index\.ts$|^stack\/running-gateway\.ts$|^package\.json$/,
};

test('rooms import each other only along the arrows', () => {
  const broken = product.flatMap((file) =>
    imports(file)
      .filter((target) => /^[a-z-]+\//.test(target) && rooms.includes(target.split('/')[0] as string))
      .filter((target) => arrows[file.room] && !arrows[file.room]?.test(target))
      .map((target) => `${file.path} imports ${target}: go through a room's index.ts, or move the code`),
  );
  expect(broken).toEqual([]);
});

/**
 * The folders of scenarios/ as floors of a house, from the lowest to the highest. Each entry lists the other folders
 * that the folder may use. `format` contains the content of a scenario file. `environment` contains the parties of a
 * scenario and their surroundings. `expect` contains the conditions that have to be true. `verbs` contains the effects
 * of a step.
 */
const floors: Record<string, readonly string[]> = {
  format: [],
  environment: ['format'],
  expect: ['environment'],
  verbs: ['format', 'environment', 'expect'],
  run: ['format', 'environment', 'expect', 'verbs'],
  record: ['format', 'environment'],
  report: ['format', 'expect', 'run'],
  trace: ['format', 'environment', 'expect', 'run', 'record'],
  threads: ['format', 'environment', 'run', 'trace'],
};

test('the folders of scenarios/ use only lower folders', () => {
  const broken = product
    .filter((file) => /^scenarios\/[^/]+\//.test(file.path))
    .flatMap((file) => {
      const from = file.path.split('/')[1] as string;
      return imports(file)
        .filter((target) => target.startsWith('scenarios/'))
        .map((target) => target.split('/')[1] as string)
        .filter((to) => to !== from && !floors[from]?.includes(to))
        .map(
          (to) =>
            `${file.path} uses ${to}; ${from}/ may use ${floors[from]?.join(', ') || 'no other folder'}: move the code to the floor it belongs on`,
        );
    });
  expect(broken).toEqual([]);
});

/** The files that each file imports, including types. */
const filesByPath = new Map(files.map((file) => [file.path, file]));
const uses = new Map(
  files.map((file) => [file.path, imports(file).filter((target) => filesByPath.has(target))] as const),
);

/** Returns a path through the graph that leads back to its beginning, if there is one: `a → b → a`. */
function circleIn(graph: ReadonlyMap<string, Iterable<string>>): string | undefined {
  const done = new Set<string>();
  const walk = (node: string, path: string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ');
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = walk(next, [...path, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = walk(node, []);
    if (circle) return circle;
  }
  return undefined;
}

test('no file imports itself through other files, including types', () => {
  const circle = circleIn(uses);
  expect(circle ? [`${circle}: move what both need into a file of its own`] : []).toEqual([]);
});

/**
 * These files list the services that a gateway opens. An import from one of these files does not count here, because a
 * resource needs only the types of its services (`Pick<Services, …>`).
 */
const lists = ['gateway/services.ts'];

/**
 * For each folder, returns which parts of the folder use which other parts. For example, `payment` uses `cards` in
 * `terminal-emulator`.
 */
function usesByFolder(): Map<string, Map<string, Set<string>>> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const { path, isTest } of files) {
    if (isTest) continue;
    for (const target of uses.get(path) ?? []) {
      if (lists.includes(target)) continue;
      const [from, to] = [path.split('/'), target.split('/')];
      const depth = from.findIndex((part, index) => part !== to[index]);
      const [user, used] = [from[depth], to[depth]];
      if (user === undefined || used === undefined) continue;
      const folder = from.slice(0, depth).join('/');
      const inFolder = folders.get(folder) ?? new Map<string, Set<string>>();
      folders.set(folder, inFolder.set(user, (inFolder.get(user) ?? new Set()).add(used)));
    }
  }
  return folders;
}

test('files and folders in a folder form no cycle, so they can be read from the bottom up', () => {
  const circles = [...usesByFolder()].flatMap(([folder, inFolder]) => {
    const circle = circleIn(inFolder);
    return circle ? [`${folder || 'the rooms'}: ${circle}: move what both need to where neither is`] : [];
  });
  expect(circles).toEqual([]);
});

test('no two resources of the gateway import each other', () => {
  const pairs = new Set(
    product
      .filter((file) => file.room === 'gateway')
      .flatMap((file) =>
        imports(file)
          .filter((target) => /^gateway\/[^/]+\//.test(target))
          .map((target) => `${file.path.split('/')[1]} ${target.split('/')[1]}`),
      ),
  );
  const mutual = [...pairs].filter((use) => {
    const [from, to] = use.split(' ');
    return from !== to && !from?.endsWith('.ts') && pairs.has(`${to} ${from}`);
  });
  expect(mutual).toEqual([]);
});

test.each([
  ['ws', /^shared\/transport\/link-(server|client)\.ts$/],
  ['better-sqlite3', /^shared\/database\/sqlite-connection\.ts$/],
  ['pg', /^shared\/database\/postgres-(connection|pipeline|session)\.ts$/],
  ['@nats-io/transport-node', /^gateway\/cluster\/hints\/nats-(hints|address)\.ts$/],
  ['serialport', /^terminal-emulator\/readers\/transport\/(serial-transport|list-ports)\.ts$/],
  ['blessed', /^terminal-emulator\/tui\/screen\.ts$/],
  ['express', /^gateway\/http\/(app|middleware|endpoint-router)\.ts$/],
  ['pino', /^shared\/log\.ts$/],
  ['commander', /^cli\//],
  ['@modelcontextprotocol/sdk/server/index.js', /^cli\/mcp\/serve\.ts$/],
  ['@modelcontextprotocol/sdk/server/stdio.js', /^cli\/mcp\/serve\.ts$/],
  ['@modelcontextprotocol/sdk/types.js', /^cli\/mcp\/serve\.ts$/],
  ['@peculiar/asn1-schema', /^shared\/certificates\/certificate-writer\.ts$/],
  ['@peculiar/asn1-x509', /^shared\/certificates\/certificate-writer\.ts$/],
])('%s is imported only in its allowed places', (dependency, allowed) => {
  const others = product
    .filter((file) => imports(file).includes(dependency) && !allowed.test(file.path))
    .map((file) => file.path);
  expect(others).toEqual([]);
});

/**
 * The files outside gateway/cluster that may know about several gateways. For each file, the text says what the file
 * has to do with the cluster.
 */
const knowTheCluster: Record<string, string> = {
  'gateway/index.ts': 'joins it, and leaves it',
  'gateway/services.ts': 'opens services among several gateways or for one',
  'gateway/move-data.ts': 'brings no data into a database that a gateway uses',
  'gateway/store/schema.ts': 'its tables',
  'gateway/store/rows/cluster.ts': 'its rows',
  'gateway/store/copy-rows.ts': 'does not copy its rows',
  'gateway/control/journal.ts': 'says which entries come over NATS',
  'stack/start-stack.ts': 'provisions alone among the gateways',
};

test('only a few files outside gateway/cluster import from it', () => {
  const cluster =
    /\/cluster\/|\b(\w*[cC]luster|[lL]eases?|noHints|\w*HintBus|ChangeFeed|TerminalOwnership|MissedWorkSweeps|peers|terminal_owners)\b/;
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const knowing = product
    .filter(({ path }) => !/^gateway\/(cluster|store\/migrations)\//.test(path))
    .filter(
      ({ path, text }) =>
        cluster.test(withoutComments(text)) ||
        (path.startsWith('gateway/') && /\bNATS\b|\bnats/.test(withoutComments(text))) ||
        path.endsWith('rows/cluster.ts'),
    )
    .map(({ path }) => path);
  expect(knowing.sort()).toEqual(Object.keys(knowTheCluster).sort());
  expect(knowing.length).toBeLessThanOrEqual(12);
});

test('SQL of PostgreSQL is only in shared/database/postgres*, gateway/cluster and migrations', () => {
  const own =
    /[\w})]::[a-z]+|\bany\(\$\{|json_agg|to_json|json_build|jsonb|clock_timestamp|xid8|skip locked|for (?:update|share)\b|lock table|\bpg_\w+\(|extract\(epoch|hashtext|\bctid\b|make_interval/;
  const allowed = /^gateway\/(cluster|store\/migrations)\/|^shared\/database\/postgres/;
  const broken = product
    .filter(({ path }) => !allowed.test(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/sql(?:<[^`]*>)?`[^`]*`/g), ([query]) => query)
        .filter((query) => own.test(query))
        .map((query) => `${path}: ${query}: use a helper of shared/database/postgres-expressions.ts`),
    );
  expect(broken).toEqual([]);
});

test('time comes from shared/clock.ts, and random numbers from shared/random.ts', () => {
  const banned =
    /\bDate\.now\(|\bnew Date\(\)|(?<![.#\w])set(Timeout|Interval)\((?!run[:,] )|Math\.random\(|randomUUID\(|performance\.now\(|randomBytes\(/;
  const broken = product
    .filter((file) => !['shared/clock.ts', 'shared/random.ts'].includes(file.path))
    .flatMap((file) =>
      file.text
        .split('\n')
        .map((line, index) => ({ line, at: `${file.path}:${index + 1}` }))
        .filter(({ line }) => banned.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line))
        .map(({ at, line }) => `${at} ${line.trim()}`),
    );
  expect(broken).toEqual([]);
});

test('only commands and createRuntime name the system clock and the system random source', () => {
  const composition = /^cli\/|^console\/page\/main\.tsx$|^shared\/(clock|random|create-runtime)\.ts$/;
  const named = product
    .filter((file) => !composition.test(file.path))
    .filter((file) => /\bsystem(Clock|Random)\b/.test(file.text))
    .map((file) => file.path);
  expect(
    named,
    'take `clock`, `realClock` and `random` from the Runtime or as a parameter; who composes the program hands them in',
  ).toEqual([]);
});

test('no module of the gateway and the terminals keeps state in a module variable', () => {
  const stateful = product.filter(
    ({ room, text }) => ['gateway', 'terminal-emulator'].includes(room) && /^(export )?let /m.test(text),
  );
  expect(stateful.map(({ path }) => `${path} keeps a value in its module: keep it where it belongs`)).toEqual(
    [],
  );
});

test('no file or folder has a collective name such as utils', () => {
  const drawers = /^(utils?|helpers?|common|types|misc|lib)(\.ts)?$/;
  const broken = files.flatMap((file) =>
    file.path
      .split('/')
      .filter((part) => drawers.test(part))
      .map(() => file.path),
  );
  expect(broken).toEqual([]);
});

test('file names are kebab-case', () => {
  const broken = files
    .map((file) => file.path)
    .filter((path) => !/^[a-z0-9]+([-.][a-z0-9]+)*\.tsx?$/.test(basename(path)));
  expect(broken).toEqual([]);
});

test('no file is longer than one can read in one sitting', () => {
  const long = product
    .map((file) => ({ path: file.path, lines: file.text.split('\n').length }))
    .filter(({ path, lines }) => lines > 350 && !generated.includes(path))
    .map(({ path, lines }) => `${path} has ${lines} lines: split it`);
  expect(long).toEqual([]);
});

test('only test files have hooks for a whole file, because modules are loaded once for many of them', () => {
  const broken = files
    .filter(({ path }) => !path.endsWith('.test.ts') && path !== 'test/conformance/setup.ts')
    .filter(({ text }) => /^(before|after|around)(All|Each)\(/m.test(text))
    .map(({ path }) => `${path}: use onTestFinished, or a function that the test file calls`);
  expect(broken).toEqual([]);
});

test('nothing is exported by default and nothing silences the type checker', () => {
  const broken = product
    .filter((file) =>
      /^export default|@ts-(ignore|expect-error|nocheck)|^(?!\s*(\*|\/\*|\/\/)).*(\bas any\b|: any\b)/m.test(
        file.text,
      ),
    )
    .map((file) => file.path);
  expect(broken).toEqual([]);
});

test('every file of the product is imported from somewhere', () => {
  const doors =
    /^(cli\/main|console\/page\/(trace\/)?main|shared\/database\/sqlite-worker|cli\/console\/scenario-worker|scenarios\/threads\/scenario-thread|cli\/explore\/explore-thread|terminal-emulator\/readers\/pcsc\/pcsc-program|client\/index|testing\/(index|vitest)|scripts\/|bench\/main|test\/)/;
  const reached = new Set(
    files.filter((file) => !file.path.endsWith('.test.ts') && doors.test(file.path)).map((file) => file.path),
  );
  const byPath = new Map(files.map((file) => [file.path, file]));
  const queue = [...reached];
  for (let path = queue.pop(); path; path = queue.pop()) {
    const file = byPath.get(path);
    for (const target of file ? imports(file) : []) {
      if (byPath.has(target) && !reached.has(target)) {
        reached.add(target);
        queue.push(target);
      }
    }
  }
  expect(product.map((file) => file.path).filter((path) => !reached.has(path))).toEqual([]);
});

test('every path in CONTRIBUTING.md and ARCHITECTURE.md exists', () => {
  // decisions are checked in another test below
  const top = new RegExp(`^(?:${[...rooms, 'docs'].join('|')})/(?!decisions/\\d)`);
  const gone = ['CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((page) =>
    Array.from(readFileSync(join(root, page), 'utf8').matchAll(/`([\w./*-]+)`/g), ([, path = '']) => path)
      .filter((path) => top.test(path) && !existsSync(join(root, path.replace(/\*.*$/, ''))))
      .map((path) => `${page} names ${path}`),
  );
  expect(gone).toEqual([]);
});

/**
 * Searches a room's map in ARCHITECTURE.md. For each folder, returns the number of the first line that names the
 * folder.
 */
function mapOf(room: string): Map<string, number> {
  const [, map = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split(`\n**\`${room}/\`**`);
  const [own = ''] = map.split(/\n\*\*|\n## /);
  const lines = new Map<string, number>();
  for (const [line, text] of own.split('\n- ').entries())
    for (const [, folder = ''] of text.matchAll(/`([\w-]+)\/`/g))
      if (!lines.has(folder)) lines.set(folder, line);
  return lines;
}

describe.each([
  'shared',
  'gateway',
  'gateway/payments',
  'terminal-emulator',
  'scenarios',
  'leading',
  'explore',
])('the map of %s/ in ARCHITECTURE.md', (room) => {
  const lineOf = mapOf(room);
  const folders = files
    .filter(({ path }) => path.startsWith(`${room}/`))
    .map(({ path }) => path.slice(room.length + 1).split('/'))
    .filter((parts) => parts.length > 1)
    .map(([folder = '']) => folder);

  test('has every folder', () => {
    expect([...new Set(folders)].filter((folder) => !lineOf.has(folder))).toEqual([]);
  });

  test('goes from the bottom up: a folder uses those on the lines above it', () => {
    const upwards = [...(usesByFolder().get(room) ?? [])].flatMap(([folder, used]) =>
      [...used]
        .filter((other) => (lineOf.get(other) ?? -1) >= (lineOf.get(folder) ?? Number.POSITIVE_INFINITY))
        .map((other) => `${folder}/ uses ${other}/: move code, or the line on the map`),
    );
    expect(upwards).toEqual([]);
  });
});

describe('the rows of docs/behaviour.md', () => {
  const rows = behaviourRows();
  const ids = new Set(rows.map(({ id }) => id));
  const texts = projectTexts();

  test('have unique numbers, and say where they come from', () => {
    expect(rows.filter(({ id, whose }) => !id || !/^(service|ours( \(.+\))?)$/.test(whose))).toEqual([]);
    expect(ids.size).toBe(rows.length);
  });

  test('include all rows that the project cites', () => {
    const unknown = texts.flatMap(({ path, text }) =>
      citedRows(text)
        .filter((id) => !ids.has(id))
        .map((id) => `${path} cites ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  test('are each cited by a test, a scenario or an endpoint', () => {
    const shown = new Set(texts.filter(showsBehaviour).flatMap(({ text }) => citedRows(text)));
    expect([...ids].filter((id) => !shown.has(id))).toEqual([]);
  });
});

test('every citation is of something in the repository', () => {
  const outside =
    /\b[Dd]ecisions?\s\d|\b[Ss]pecification(?:'s)?\s§|\b(?:[Dd]esign|[Rr]eference \w+|readers\.md)\s§/;
  const decisions = readdirSync(join(root, 'docs/decisions'));
  const broken = projectTexts().flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const [, number] = /docs\/decisions\/(\d+)/.exec(line) ?? [];
      const lost = number !== undefined && !decisions.some((name) => name.startsWith(`${number}-`));
      return lost || outside.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [];
    }),
  );
  expect(broken).toEqual([]);
});

test('every decision has a status and alternatives, and is on the list', () => {
  const folder = join(root, 'docs/decisions');
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const broken = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .filter((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const alternatives = text.includes('\n## Alternatives\n') || text.includes('| Why this one |');
      return (
        !/^Status: (accepted|replaced by \d{4})\.$/m.test(text) ||
        !alternatives ||
        !list.includes(`(${name})`)
      );
    });
  expect(broken).toEqual([]);
});

test('an optional field is written without | undefined', () => {
  const broken = product.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/^\s+(?:readonly )?\w+\?: (?!.*=>).*\| undefined[;,]$/gm),
      ([line]) => `${path}: ${line.trim()}`,
    ),
  );
  expect(broken).toEqual([]);
});

test('a name that no other file imports is not exported', () => {
  const doors = /^(client\/(index|openapi-types)|testing\/(index|vitest)|cli\/main)\.ts$/;
  /** Names that the compiler needs in the declarations of other files. */
  const named = ['DebitBooksComparison', 'PaymentResultRow', 'Compilable', 'TerminalContext'];
  const used = new Set(files.flatMap(importedNames));
  const unused = product
    .filter(({ path }) => !doors.test(path))
    .flatMap(({ path, text }) => exportedNames(text).map((name) => ({ path, name })))
    .filter(({ path, name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
    .filter(({ name }) => !named.includes(name))
    .map(({ path, name }) => `${path} exports ${name}, which no other file imports`);
  expect(unused).toEqual([]);
});

/** Returns the names that a file exports: its own, and those that it passes on. */
function exportedNames(text: string): string[] {
  const own = text.matchAll(
    /^export (?:async |abstract )*(?:const|let|function\*?|class|interface|type) (\w+)/gm,
  );
  const passedOn = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [
    ...Array.from(own, ([, name = '']) => name),
    ...Array.from(passedOn, ([, list = '']) => list.split(','))
      .flat()
      .map((name) => name.trim().replace(/^(type\s+)?(.*\sas\s+)?/, ''))
      .filter((name) => name !== ''),
  ];
}

/** Returns the names that a file imports, as "path name", or as "path *" if it imports everything. */
function importedNames(file: { path: string; text: string }): string[] {
  const pathTo = (target: string) => normalize(join(dirname(file.path), target));
  const lists = file.text.matchAll(
    /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*[^']*?)\s*from\s+'(\.[^']+)'/g,
  );
  const named = Array.from(lists, ([, list = '', target = '']) => {
    if (list.startsWith('*')) return [`${pathTo(target)} *`];
    const names = list.slice(1, -1).split(',');
    return names.map(
      (name) =>
        `${pathTo(target)} ${name
          .trim()
          .replace(/^type\s+/, '')
          .replace(/\s+as\s.*/, '')}`,
    );
  });
  const atRunTime = file.text.matchAll(/(?:\{([^{}]*)\} = await )?import\('(\.[^']+)'\)(?:\.(\w+))?/g);
  const loaded = Array.from(atRunTime, ([, list, target = '', name]) =>
    (list ?? name ?? '*').split(',').map((each) => `${pathTo(target)} ${each.trim().replace(/:.*/, '')}`),
  );
  return [...named, ...loaded].flat();
}
