import { describe, expect, test } from 'vitest';
import { type Vendor, vendors } from '../vendors.ts';
import { javaArgumentsText, makeJavaVariables } from './java-variables.ts';
import { makeNodeVariables } from './node-variables.ts';
import { makeProxyVariables } from './proxy-variables.ts';

const adyen = vendors.adyen as Vendor;

describe('NO_PROXY', () => {
  const noProxyOf = (environment: Record<string, string>) => {
    const { NO_PROXY, no_proxy } = makeProxyVariables(environment, { vendor: adyen, proxyUrl: 'http://p' });
    expect(no_proxy).toBe(NO_PROXY);
    return NO_PROXY;
  };

  test('keeps its entries, except those that name the redirected hosts', () => {
    expect(noProxyOf({ NO_PROXY: 'db.shop.example, 10.0.0.0/8' })).toBe(
      'db.shop.example,10.0.0.0/8,localhost,127.0.0.1,::1',
    );
    for (const entry of ['*', 'adyen.com', '.adyen.com', '*.ADYEN.com', 'terminal-api-test.adyen.com', 'com'])
      expect(noProxyOf({ no_proxy: `a.example,${entry}` })).toBe('a.example,localhost,127.0.0.1,::1');
  });

  test('does not list local hosts twice', () => {
    expect(noProxyOf({ no_proxy: 'localhost,::1' })).toBe('localhost,::1,127.0.0.1');
  });
});

describe('NODE_OPTIONS', () => {
  const redirection = { vendor: adyen, serverPort: 1, certificates: '/c.pem' };

  test('keeps its options, and loads the preload once', () => {
    const { NODE_OPTIONS = '' } = makeNodeVariables({ NODE_OPTIONS: '--no-warnings' }, redirection);
    expect(NODE_OPTIONS).toMatch(/^--no-warnings --require ".*lead\.cjs"$/);
    expect(makeNodeVariables({ NODE_OPTIONS }, redirection).NODE_OPTIONS).toBe(NODE_OPTIONS);
  });
});

describe('the variables of Java', () => {
  const redirection = {
    proxyPort: 3128,
    trustStore: '/a folder/roots.jks',
    argumentsFile: '/a folder/java.args',
  };

  test('keep their options, and quote values with spaces', () => {
    const variables = makeJavaVariables(
      { JAVA_TOOL_OPTIONS: '-Xmx1g', JDK_JAVA_OPTIONS: '-ea' },
      redirection,
    );
    expect(variables).toEqual({
      JAVA_TOOL_OPTIONS:
        '-Xmx1g -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 "-Djavax.net.ssl.trustStore=/a folder/roots.jks" ' +
        '-Djavax.net.ssl.trustStoreType=jks -Djavax.net.ssl.trustStorePassword=changeit',
      JDK_JAVA_OPTIONS: '-ea "@/a folder/java.args"',
    });
  });

  test('fit into the limit of Java 8, in a folder of usual length', () => {
    const trustStore = '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/pinpad-as-abcdef/roots.jks';
    expect(makeJavaVariables({}, { ...redirection, trustStore }).JAVA_TOOL_OPTIONS?.length).toBeLessThan(
      1_023,
    );
  });

  test('leave hosts to the proxy if the user has set one for Java', () => {
    expect(makeJavaVariables({ JAVA_TOOL_OPTIONS: '-Dhttps.proxyHost=p' }, redirection)).not.toHaveProperty(
      'JDK_JAVA_OPTIONS',
    );
  });

  test('replace a proxy and a trust store of JDK_JAVA_OPTIONS there, because it overrides JAVA_TOOL_OPTIONS', () => {
    const own = '-Djavax.net.ssl.trustStore=/own.jks';
    const { JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS } = makeJavaVariables({ JDK_JAVA_OPTIONS: own }, redirection);
    expect(JDK_JAVA_OPTIONS).toBe(`${own} ${JAVA_TOOL_OPTIONS} "@/a folder/java.args"`);
    const proxied = makeJavaVariables({ JDK_JAVA_OPTIONS: '-Dhttps.proxyHost=p' }, redirection);
    expect(proxied.JDK_JAVA_OPTIONS).toBe(`-Dhttps.proxyHost=p ${proxied.JAVA_TOOL_OPTIONS}`);
  });

  test('list all hosts except the redirected ones as needing no proxy', () => {
    const patterns = javaArgumentsText(adyen).trim().replace('-Dhttp.nonProxyHosts=', '').split('|');
    // Whether a JVM reaches a host without a proxy, by the rules of sun.net.spi.DefaultProxySelector.
    const isDirect = (host: string) =>
      patterns.some((each) => (each.endsWith('*') ? host.startsWith(each.slice(0, -1)) : host === each));
    for (const host of adyen.hosts) expect(isDirect(host), host).toBe(false);
    const others = ['localhost', '127.0.0.1', '[::1]', 'shop.example', 'checkout-test.adyen.com', 'terminal'];
    for (const host of [...others, 'terminal-api.example', 'device.example', 'd', 'term_1.shop.example'])
      expect(isDirect(host), host).toBe(true);
  });
});
