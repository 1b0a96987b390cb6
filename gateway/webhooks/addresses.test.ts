import { expect, test } from 'vitest';
import {
  isAllowedAddress,
  makeCheckedLookup,
  makeDefaultAddressRules,
  readLiteralAddress,
} from './addresses.ts';

const strict = { allowPrivateNetworks: false, allowedNetworks: [] };

test.each([
  '127.0.0.1',
  '127.8.8.8',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '64:ff9b:2::a00:1',
  '2002:a00:1::1',
  '2001:0:a00:1::1',
  '::7f00:1',
  '::a00:1',
  '::ffff:0:a00:1',
  '0:0:0:1::1',
  '2606:2800:220:1:0:5efe:7f00:1',
  '2606:2800:220:1:200:5efe:a00:1',
  'fec0::1',
  '4000::1',
])('%s is not a public address', (address) => {
  expect(isAllowedAddress(address, strict)).toBe(false);
  expect(isAllowedAddress(address, { ...strict, allowPrivateNetworks: true })).toBe(true);
});

test.each(['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34'])(
  '%s is a public address',
  (address) => {
    expect(isAllowedAddress(address, strict)).toBe(true);
  },
);

test('a single network can be allowed', () => {
  const rules = { ...strict, allowedNetworks: ['10.1.0.0/16', 'fd00::/8'] };
  expect(isAllowedAddress('10.1.2.3', rules)).toBe(true);
  expect(isAllowedAddress('::ffff:10.1.2.3', rules)).toBe(true);
  expect(isAllowedAddress('10.2.2.3', rules)).toBe(false);
  expect(isAllowedAddress('fd12::1', rules)).toBe(true);
  expect(isAllowedAddress('::a01:203', rules)).toBe(false);
  expect(isAllowedAddress('::a01:203', { ...strict, allowedNetworks: ['::/96'] })).toBe(true);
});

test.each([
  ['http://127.0.0.1:80/', '127.0.0.1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://[::1]:8080/', '::1'],
  ['http://[::127.0.0.1]/', '::7f00:1'],
  ['http://example.com/', undefined],
])('%s belongs to the network %s', (url, address) => {
  expect(readLiteralAddress(new URL(url))).toBe(address);
});

test('a gateway on loopback may call its own networks, and one that others can reach may not (B110)', () => {
  for (const host of ['127.0.0.1', '::1', 'localhost'])
    expect(makeDefaultAddressRules(host).allowPrivateNetworks, host).toBe(true);
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'pos.example.com'])
    expect(makeDefaultAddressRules(host).allowPrivateNetworks, host).toBe(false);
});

test.each([true, false])(
  'a name is looked up, and only its allowed addresses are called (all: %s)',
  async (all) => {
    const found = (rules: typeof strict) =>
      new Promise((resolve) =>
        makeCheckedLookup(rules)('localhost', { all }, (error, address) =>
          resolve(error?.message ?? address),
        ),
      );
    expect(await found(strict)).toMatch(/not allowed/);
    const allowed = JSON.stringify(await found({ ...strict, allowPrivateNetworks: true }));
    expect(allowed).toMatch(/127\.0\.0\.1|::1/);
  },
);

test('the address of this machine alone can be allowed, and then no other name is looked up', async () => {
  const rules = { allowPrivateNetworks: true, allowedNetworks: ['10.1.0.0/16'], loopbackOnly: true };
  const allowed = ['127.0.0.1', '::1', '10.1.2.3', '93.184.215.14'].filter((each) =>
    isAllowedAddress(each, rules),
  );
  expect(allowed).toEqual(['127.0.0.1', '::1']);
  const refused = await new Promise<Error | null>((resolve) =>
    makeCheckedLookup(rules)('elsewhere.invalid', {}, (error) => resolve(error)),
  );
  expect(refused?.message).toContain('not allowed');
});
