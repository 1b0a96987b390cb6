import { expect, test } from 'vitest';
import { createUsersProxyFinder, matchesNoProxy } from './users-proxy.ts';

test.each([
  ['*', 'shop.example', true],
  ['shop.example', 'shop.example', true],
  ['shop.example', 'api.shop.example', true],
  ['.shop.example', 'api.shop.example', true],
  ['*.shop.example', 'API.shop.example', true],
  ['shop.example', 'workshop.example', false],
  ['shop.example:443', 'shop.example', true],
  ['shop.example:8443', 'shop.example', false],
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['10.0.0.0/8', 'shop.example', false],
  ['10.0.0.0/99', '10.1.2.3', false],
  ['fd00::/8', 'fd00::1', true],
  ['::1', '[::1]', true],
  ['1.2.3', '0.1.2.3', false],
])('the entry %s in NO_PROXY applies to %s: %s', (entry, host, is) => {
  expect(matchesNoProxy(entry, host, 443)).toBe(is);
});

test('lower-case variables have priority over upper-case ones, and https variables over general ones', () => {
  const proxyOf = (environment: Record<string, string>) =>
    createUsersProxyFinder(environment)('shop.example', 443)?.href;
  expect(proxyOf({})).toBe(undefined);
  expect(proxyOf({ HTTPS_PROXY: 'http://one:1/', https_proxy: 'http://two:2/' })).toBe('http://two:2/');
  expect(proxyOf({ ALL_PROXY: 'http://one:1/', HTTPS_PROXY: 'http://two:2/' })).toBe('http://two:2/');
  expect(proxyOf({ all_proxy: 'one:3128' })).toBe('http://one:3128/');
  expect(proxyOf({ HTTPS_PROXY: 'http://one:1/', no_proxy: 'a.example, .example' })).toBe(undefined);
  expect(proxyOf({ HTTPS_PROXY: 'http://one:1/', NO_PROXY: 'a.example' })).toBe('http://one:1/');
  expect(proxyOf({ ALL_PROXY: 'socks5://one:1080' })).toBe(undefined);
});
