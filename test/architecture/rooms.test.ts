import { dirname, join, normalize } from 'node:path';
import { expect } from 'vitest';
import { makeAllResources, makeGatewayOpenapiDocument } from '../../gateway/openapi.ts';
import { allFiles, callersOf, fileAt, inFolder, loadedWith, productFiles, readProjectFile } from './code.ts';
import { checkDialectsLoadLate } from './dialects.ts';
import { checkSection, houseTest } from './page.ts';

/** Checks the section "Rooms" of ARCHITECTURE.md: which room may import which, and where a resource is listed. */

checkSection('Rooms', {
  'Every room except `client/` may also import `shared/`': [roomsKeepToTheTable],
  '`cli/`, `gateway/` and `scenarios/` may read': [
    () =>
      expect(
        allFiles
          .filter(({ text }) => /from '[./]+\/package\.json'/.test(text))
          .map(({ path }) => path.split('/')[0])
          .filter((room) => !['cli', 'gateway', 'scenarios'].includes(room ?? '')),
      ).toEqual([]),
  ],
  '`test/house.test.ts` checks the table of rooms': [
    houseTest('rooms import each other only along the arrows'),
  ],
  'In every folder, files and folders form no circle': [
    houseTest('no file imports itself through other files, including types'),
    houseTest('files and folders in a folder form no cycle'),
  ],
  'There is one exception': [houseTest("const lists = ['gateway/services.ts'];"), onlyTypesOfServices],
  'Two resources of the gateway never import each other': [
    houseTest('no two resources of the gateway import each other'),
  ],
  'Only one file imports `blessed`': [
    () => expect(['blessed', 'pino', 'better-sqlite3'].map(importers)).toEqual([1, 1, 1]),
  ],
  'One file imports the SDK of `pinpad mcp`': [
    () =>
      expect(['@modelcontextprotocol/sdk/server/index.js', '@peculiar/asn1-x509'].map(importers)).toEqual([
        1, 1,
      ]),
  ],
  '`pg`, `ws`, `serialport` and `express` are each imported by two or three files': [
    () =>
      expect(
        ['pg', 'ws', 'serialport', 'express'].filter((library) => ![2, 3].includes(importers(library))),
      ).toEqual([]),
  ],
  'Inside the gateway, `services.ts` opens every service': [servicesAreOpenedOnce],
  'A service is opened after all services': [servicesAreOpenedOnce],
  '`payments/create-payments.ts` opens the services of payments': [
    () => expect(openedIn('PaymentService')).toEqual(['gateway/payments/create-payments.ts']),
    () => expect(callersOf('openPaymentService')).toEqual(['gateway/services.ts']),
  ],
  '`resources.ts` lists the endpoints': [
    () =>
      expect(readProjectFile('gateway/resources.ts')).toMatch(
        /nonControlEndpointMakers: readonly \(\(services: Services\) => readonly AnyEndpoint\[\]\)\[\]/,
      ),
    endpointsAreListed,
  ],
  'Each function names the services that it needs': [resourcesNameServices],
  'The endpoints of the control API are listed in': [
    () => expect([...loadedWith('gateway/index.ts')]).not.toContain('gateway/control/endpoints.ts'),
  ],
  'A new resource needs a folder': [endpointsAreListed],
  'A new resource of the control API needs a file': [endpointsAreListed],
  'If a resource keeps state': [servicesAreOpenedHere],
  'Only dialects (the code for other vendors': [checkDialectsLoadLate],
  'When a dialect is loaded, it opens the services': [checkDialectsLoadLate],
  'The OpenAPI document, the request checks': [
    everyEndpointIsDescribed,
    () =>
      expect(
        productFiles.filter(({ text }) => /\bvalidateRequest\(endpoint, /.test(text)).map(({ path }) => path),
      ).toEqual(['gateway/http/endpoint-router.ts']),
    [
      'test/conformance/conformance.test.ts',
      'makeConformanceCheck((await loadOpenapiDocument()) as OpenapiDocument',
    ],
  ],
});

/** Each room imports only the rooms that its row of the table names, and `shared/`. */
function roomsKeepToTheTable(): void {
  const rows = [...readProjectFile('ARCHITECTURE.md').matchAll(/^\| `([\w-]+)\/` \| .* \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, room = '', may = ''] of rows.filter(([, room]) => room !== 'test')) {
    const used = allFiles
      .filter(({ path }) => path.startsWith(`${room}/`))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g),
          ([, target = '']) => normalize(join(dirname(path), target)).split('/')[0],
        ),
      );
    const named = new Set(Array.from(may.matchAll(/`([\w-]+)`/g), ([, name]) => name));
    const others = new Set(used.filter((other) => other !== room && !/^package\.json$/.test(other ?? '')));
    if (room !== 'client') others.delete('shared');
    expect(
      [...others].filter((other) => !named.has(other)),
      `what ${room}/ imports`,
    ).toEqual([]);
  }
}

/** How many files import a library. */
function importers(library: string): number {
  return allFiles.filter(({ text }) => new RegExp(`(from|import)\\s*\\(?\\s*'${library}'`).test(text)).length;
}

function onlyTypesOfServices(): void {
  const users = allFiles.filter(
    ({ path, text }) => /^gateway\/.*\//.test(path) && /\/services\.ts'/.test(text),
  );
  const values = users.filter(({ text }) => /^import (?!type ).*\/services\.ts'/m.test(text));
  expect(users.length).toBeGreaterThan(5);
  expect(values).toEqual([]);
}

function servicesAreOpenedOnce(): void {
  const [, body = ''] = readProjectFile('gateway/services.ts').split(/^export async function openServices/m);
  const opened = Array.from(
    body.matchAll(/(?:\bnew (\w*Service)\(|\b(\w*Service)\.open\()/g),
    ([, a, b]) => a ?? b,
  );
  expect(opened.length).toBeGreaterThan(5);
  expect(opened.filter((name, index) => opened.indexOf(name) !== index)).toEqual([]);
  expect(body).not.toMatch(/^\s*let /m);
}

/** Returns the files that make a service, except the file of the service's own class. */
const openedIn = (service: string) =>
  productFiles
    .filter(
      ({ text }) =>
        !text.includes(`class ${service} `) &&
        new RegExp(`\\bnew ${service}\\(|\\b${service}\\.open\\(`).test(text),
    )
    .map(({ path }) => path);

function servicesAreOpenedHere(): void {
  const services = inFolder('gateway').flatMap(({ text }) =>
    Array.from(text.matchAll(/^export class (\w+Service) /gm), ([, name = '']) => name),
  );
  expect(services.length).toBeGreaterThan(10);
  for (const service of services.filter((name) => name !== 'PaymentService'))
    expect(openedIn(service), service).toEqual(['gateway/services.ts']);
}

function resourcesNameServices(): void {
  const files = Array.from(
    readProjectFile('gateway/resources.ts').matchAll(/from '\.\/(.*\.ts)'/g),
    ([, path]) => path ?? '',
  );
  const whole = files.filter(
    (path) => path !== 'services.ts' && /\w: Services\b/.test(readProjectFile(`gateway/${path}`)),
  );
  expect(whole).toEqual([]);
}

/**
 * Checks every function that makes endpoints. It must be in gateway/resources.ts or gateway/control/endpoints.ts, or
 * be called in another file of its folder.
 */
function endpointsAreListed(): void {
  const [own, control] = ['gateway/resources.ts', 'gateway/control/endpoints.ts'].map(fileAt);
  const importedBy = (file: typeof own) =>
    Array.from(
      file?.text.matchAll(/^import \{ (\w+Endpoints) \} from '(.*)';/gm) ?? [],
      ([, name = '', from = '']) => ({
        name,
        path: normalize(join(dirname(file?.path ?? ''), from)),
      }),
    );
  const folders = importedBy(own).map(({ path }) => dirname(path));
  expect(new Set(folders).size).toBe(folders.length);
  expect(importedBy(control).filter(({ path }) => dirname(path) !== 'gateway/control')).toEqual([]);
  for (const list of [own, control]) {
    const [, listed = ''] =
      /(?:esources|EndpointMakers): [^=]+(?:=> [^=]+)?= \[\n([^\]]*)\]/.exec(list?.text ?? '') ?? [];
    const names = listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    expect(names.sort()).toEqual(
      importedBy(list)
        .map(({ name }) => name)
        .sort(),
    );
  }
  const listed = new Set([...importedBy(own), ...importedBy(control)].map(({ name }) => name));
  const makers = inFolder('gateway').filter(({ path }) => !path.startsWith('gateway/dialects/'));
  const unlisted = makers
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^export function (\w+Endpoints)\(/gm), ([, name = '']) => ({ path, name })),
    )
    .filter(({ name }) => !listed.has(name))
    .filter(
      ({ path, name }) =>
        !inFolder(dirname(path)).some((user) => user.path !== path && user.text.includes(`...${name}(`)),
    );
  expect(unlisted).toEqual([]);
}

function everyEndpointIsDescribed(): void {
  const { paths } = makeGatewayOpenapiDocument() as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const served = makeAllResources({} as never)
    .flat()
    .filter(({ documented }) => documented !== false)
    .map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(served.sort());
}
