import type { Vendor } from '../vendors.ts';
import { type EnvironmentVariables, withOption } from './environment.ts';
import { trustStorePassword } from './trust-store.ts';

/** The characters with which a host's name may begin or continue. */
const nameCharacters = [...'abcdefghijklmnopqrstuvwxyz0123456789-_.[:'];

/**
 * Returns the variables for JVMs: a proxy and a trust store. A JVM does not send a password from a proxy's address, so
 * it uses this proxy only for the vendor's hosts. It reaches all other hosts without a proxy, as it does without
 * pinpad (`argumentsFile`).
 */
export function javaVariables(
  environment: EnvironmentVariables,
  redirection: { proxyPort: number; trustStore: string; argumentsFile: string },
): Record<string, string> {
  const properties = {
    'https.proxyHost': '127.0.0.1',
    'https.proxyPort': redirection.proxyPort,
    'javax.net.ssl.trustStore': redirection.trustStore,
    'javax.net.ssl.trustStoreType': 'jks',
    'javax.net.ssl.trustStorePassword': trustStorePassword,
  };
  const options = Object.entries(properties).map(([name, value]) => quoted(`-D${name}=${value}`));
  return {
    JAVA_TOOL_OPTIONS: withOption(environment.JAVA_TOOL_OPTIONS, options.join(' ')),
    // A JVM of Java 8 takes at most 1023 characters of JAVA_TOOL_OPTIONS, and ignores longer values. Java 8 does not
    // know JDK_JAVA_OPTIONS.
    ...(hasOwnProxy(environment)
      ? {}
      : {
          JDK_JAVA_OPTIONS: withOption(environment.JDK_JAVA_OPTIONS, quoted(`@${redirection.argumentsFile}`)),
        }),
  };
}

/** Whether the user's options already name a proxy for JVMs. If so, pinpad's proxy replaces it. */
export function hasOwnProxy({ JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS }: EnvironmentVariables): boolean {
  return /-Dhttps?\.proxyHost=/.test(`${JAVA_TOOL_OPTIONS} ${JDK_JAVA_OPTIONS}`);
}

/** Whether the user's options already name a trust store for JVMs. If so, pinpad's trust store replaces it. */
export function hasOwnTrustStore({ JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS }: EnvironmentVariables): boolean {
  return /-Djavax\.net\.ssl\.trustStore=/.test(`${JAVA_TOOL_OPTIONS} ${JDK_JAVA_OPTIONS}`);
}

/**
 * Returns the property that names the hosts without a proxy: all but the vendor's. The property has no form for "all
 * but", so it lists every way in which other names begin.
 */
export function javaArgumentsText({ beginnings }: Vendor): string {
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
