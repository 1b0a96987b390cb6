import type { Vendor } from '../vendors.ts';
import { appendOption, type EnvironmentVariables } from './environment.ts';
import { trustStorePassword } from './trust-store.ts';

/** The characters that the name or address of a host may contain. */
const nameCharacters = [...'abcdefghijklmnopqrstuvwxyz0123456789-_.[:'];

/**
 * Returns the variables that give JVMs a proxy and a trust store. The proxy needs a password for all hosts but the
 * vendor's, and a JVM sends no password. So the file `argumentsFile` tells the JVM to use the proxy only for the
 * vendor's hosts, and to reach all other hosts without a proxy.
 */
export function makeJavaVariables(
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
  const { JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS } = environment;
  const launcherOptions = [
    // The properties in JDK_JAVA_OPTIONS replace those in JAVA_TOOL_OPTIONS, and a later property an earlier one.
    ...(hasUserJavaProxy({ JDK_JAVA_OPTIONS }) || hasUserJavaTrustStore({ JDK_JAVA_OPTIONS }) ? options : []),
    // The list of the hosts that are reached without a proxy is in JDK_JAVA_OPTIONS, which Java 8 does not read. The
    // list is not in JAVA_TOOL_OPTIONS, because every JVM prints this variable, and Java 8 ignores a value of more than
    // 1023 characters.
    ...(hasUserJavaProxy(environment) ? [] : [quoted(`@${redirection.argumentsFile}`)]),
  ];
  return {
    JAVA_TOOL_OPTIONS: appendOption(JAVA_TOOL_OPTIONS, options.join(' ')),
    ...(launcherOptions.length > 0 && {
      JDK_JAVA_OPTIONS: appendOption(JDK_JAVA_OPTIONS, launcherOptions.join(' ')),
    }),
  };
}

/** Whether the user's options already name a proxy for JVMs. If so, pinpad's proxy replaces it. */
export function hasUserJavaProxy({ JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS }: EnvironmentVariables): boolean {
  return /-Dhttps?\.proxyHost=/.test(`${JAVA_TOOL_OPTIONS} ${JDK_JAVA_OPTIONS}`);
}

/** Whether the user's options already name a trust store for JVMs. If so, pinpad's trust store replaces it. */
export function hasUserJavaTrustStore({
  JAVA_TOOL_OPTIONS,
  JDK_JAVA_OPTIONS,
}: EnvironmentVariables): boolean {
  return /-Djavax\.net\.ssl\.trustStore=/.test(`${JAVA_TOOL_OPTIONS} ${JDK_JAVA_OPTIONS}`);
}

/**
 * Returns the property that lists the hosts which a JVM reaches without a proxy. These are all hosts except the
 * vendor's. The property cannot express "all except", so it lists all possible beginnings of other hosts' names.
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
