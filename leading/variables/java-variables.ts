import type { Vendor } from '../vendors.ts';
import { type EnvironmentVariables, withOption } from './environment.ts';
import { trustStorePassword } from './trust-store.ts';

/** What a host's name may go on with, or begin with. */
const nameCharacters = [...'abcdefghijklmnopqrstuvwxyz0123456789-_.[:'];

/**
 * For JVMs: a proxy and a trust store. A JVM sends no password with an address, so the proxy leads it to the vendor's hosts alone; it
 * reaches all others without a proxy, as before (`argumentsFile`).
 */
export function javaVariables(
  environment: EnvironmentVariables,
  led: { proxyPort: number; trustStore: string; argumentsFile: string },
): Record<string, string> {
  const properties = {
    'https.proxyHost': '127.0.0.1',
    'https.proxyPort': led.proxyPort,
    'javax.net.ssl.trustStore': led.trustStore,
    'javax.net.ssl.trustStoreType': 'jks',
    'javax.net.ssl.trustStorePassword': trustStorePassword,
  };
  const options = Object.entries(properties).map(([name, value]) => quoted(`-D${name}=${value}`));
  return {
    JAVA_TOOL_OPTIONS: withOption(environment.JAVA_TOOL_OPTIONS, options.join(' ')),
    // Of JAVA_TOOL_OPTIONS a JVM of Java 8 takes no more than 1023 characters, and nothing where there are more. It does not know this one.
    ...(hasOwnProxy(environment)
      ? {}
      : { JDK_JAVA_OPTIONS: withOption(environment.JDK_JAVA_OPTIONS, quoted(`@${led.argumentsFile}`)) }),
  };
}

/** Whether JVMs have a proxy already, which this one takes the place of. */
export function hasOwnProxy({ JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS }: EnvironmentVariables): boolean {
  return /-Dhttps?\.proxyHost=/.test(`${JAVA_TOOL_OPTIONS} ${JDK_JAVA_OPTIONS}`);
}

/** Whether JVMs have a trust store already, which this one takes the place of. */
export function hasOwnTrustStore({ JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS }: EnvironmentVariables): boolean {
  return /-Djavax\.net\.ssl\.trustStore=/.test(`${JAVA_TOOL_OPTIONS} ${JDK_JAVA_OPTIONS}`);
}

/**
 * The property that names which hosts need no proxy: all but the vendor's. It knows no "all but", so it lists all beginnings of
 * other names.
 */
export function javaArguments({ beginnings }: Vendor): string {
  return `-Dhttp.nonProxyHosts=${otherNames(beginnings).join('|')}\n`;
}

function otherNames(beginnings: readonly string[]): string[] {
  const parts = new Set(beginnings.flatMap((each) => Array.from(each, (_, at) => each.slice(0, at))));
  const others = [...parts].flatMap((part) => {
    const next = nameCharacters.filter(
      (character) => !beginnings.some((each) => each.startsWith(part + character)),
    );
    return next.map((character) => `${part}${character}*`);
  });
  return [...others, ...[...parts].filter((part) => part !== '')];
}

function quoted(option: string): string {
  return /\s/.test(option) ? `"${option}"` : option;
}
