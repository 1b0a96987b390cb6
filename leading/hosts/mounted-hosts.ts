import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { StartError } from '../../shared/start-error.ts';
import { type Vendor, vendorHostPort } from '../vendors.ts';

const hostsFile = '/etc/hosts';
const firstOpenPort = '/proc/sys/net/ipv4/ip_unprivileged_port_start';

/**
 * Returns the text of the machine's hosts file, changed so that the names of the vendor's hosts have the address of the
 * vendor server. Other names on the same lines keep their addresses.
 */
export function hostsFileText({ hosts }: Vendor, text = textOf(hostsFile)): string {
  const others = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => withoutNames(line, hosts));
  return [...others, ...hosts.map((host) => `127.0.0.1\t${host}`), ''].join('\n');
}

function withoutNames(line: string, hosts: readonly string[]): string[] {
  const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
  const kept = names.filter((name) => !hosts.includes(name.toLowerCase()));
  if (kept.length === names.length) return [line];
  return kept.length === 0 ? [] : [[address, ...kept].join('\t')];
}

/**
 * @throws StartError if commands cannot get a hosts file of their own, because this machine does not support it or the
 * user lacks the rights
 */
export function requireHostsFileSupport(): void {
  if (process.platform !== 'linux') throw new StartError('--hosts works only on Linux');
  if (!isRoot() && Number(textOf(firstOpenPort) || 1024) > vendorHostPort)
    throw new StartError(
      `--hosts needs root, unless all users may listen on port ${vendorHostPort}: to allow this, run sysctl -w net.ipv4.ip_unprivileged_port_start=${vendorHostPort}`,
    );
  const [program = '', ...args] = argvWithHostsFile(['true'], hostsFile);
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw new StartError('--hosts needs the program unshare (package util-linux)');
  if (status !== 0)
    throw new StartError(`--hosts cannot mount over ${hostsFile} here: ${stderr.trim().split('\n')[0]}`);
}

/**
 * Returns the command line that runs the command with another hosts file. The file also applies to all programs that
 * the command starts. The command gets a mount namespace of its own, but uses the network of the machine, so it still
 * reaches a database or a browser on this machine. The command's process id and user are the same as they would be
 * without the namespace.
 */
export function argvWithHostsFile(argv: readonly string[], file: string): string[] {
  const mount = `mount --bind "$0" ${hostsFile} && exec`;
  if (isRoot()) return ['unshare', '--mount', 'sh', '-c', `${mount} "$@"`, file, ...argv];
  // Only root is allowed to mount. So the command first gets a user namespace in which the user is root. Inside this
  // namespace, a second user namespace gives the user the original user id and group id again.
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  const again = `${mount} unshare --user --map-user=${user} --map-group=${group} -- "$@"`;
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', again, file, ...argv];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
