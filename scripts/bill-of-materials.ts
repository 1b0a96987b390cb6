/**
 * Makes the bill of materials (SBOM) of an archive, which lists the archive's contents in the format of CycloneDX 1.5
 * (JSON). The bill of materials contains no time, so the same commit always gives the same file.
 */

/** The fields of a package in package-lock.json that are used here. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
}

interface Component {
  readonly type: 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: object[];
  readonly hashes: object[];
  readonly properties: { name: string; value: string }[];
}

export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: 1;
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Returns the content of the bill of materials. The code of `bundled` packages is inside of pinpad's own files.
 * `installed` packages are separate: npm fetches them, or the offline archive contains them. Both lists have paths of
 * package-lock.json, such as `node_modules/yaml`. Neither list has packages that are needed only to build or test.
 */
export function makeBillOfMaterials(
  subject: { readonly name: string; readonly version: string; readonly license: string },
  parts: { readonly bundled: readonly string[]; readonly installed: readonly string[] },
  locked: Readonly<Record<string, LockedPackage>>,
): BillOfMaterials {
  const components = new Map<string, Component>();
  for (const part of ['bundled', 'installed'] as const)
    for (const place of parts[part]) {
      const component = componentOf(place, locked[place]);
      const known = components.get(component.purl) ?? component;
      if (!known.properties.some(({ value }) => value === part))
        known.properties.push({ name: 'pinpad:part', value: part });
      components.set(component.purl, known);
    }
  const { name, version, license } = subject;
  const ref = purlOf(name, version);
  const sorted = [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ref,
        name,
        version,
        purl: ref,
        licenses: licensesOf(license),
      },
    },
    components: sorted,
    dependencies: [{ ref, dependsOn: sorted.map(({ purl }) => purl) }],
  };
}

function componentOf(place: string, found: LockedPackage = {}): Component {
  const { version, integrity, license } = found;
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no version or no integrity for ${place}`);
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = purlOf(name, version);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: licensesOf(license),
    hashes: integrity.split(' ').map(hashOf),
    properties: [],
  };
}

/** Returns the hash of the archive that npm fetches: `sha512-…` in base64 becomes hexadecimal digits. */
function hashOf(integrity: string): object {
  const [algorithm = '', digest = ''] = integrity.split(/-(.*)/s);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

function licensesOf(license?: string): object[] {
  if (license === undefined) return [];
  return [/ (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }];
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
