import { Command } from 'commander';
import { systemClock } from '../../shared/clock.ts';
import { makeJsonPrintable, makePrintable } from '../../shared/printable.ts';
import { StartError } from '../../stack/index.ts';
import {
  type ListedPcscReader,
  type ListedReaderPort,
  listPcscReaders,
  listReaderPorts,
  parseReaderAddress,
  ReaderSpecError,
  readerDriverNames,
  readerOptionText,
  silentPortDriver,
} from '../../terminal-emulator/index.ts';

export function makeReadersCommand(): Command {
  return new Command('readers')
    .description(
      'Lists the PC/SC readers of this machine and the cards in them, and the serial ports of this machine. ' +
        'With --probe, pinpad sends each port the commands of every reader that it knows. ' +
        'The connected devices receive bytes that they may not understand, so unplug devices that must not receive them. ' +
        'For each reader that it finds, pinpad prints the --reader option with which to start a terminal. If you name ports, pinpad probes only these ports.\n\n' +
        'Exit code: 0 if all ports could be probed, 1 if a named port could not be probed.',
    )
    .argument('[port...]', 'probe these ports: /dev/ttyUSB0, COM3, tcp://HOST:PORT')
    .option('--probe', 'ask each port which reader is connected')
    .option('--json', 'print a JSON document')
    .action(list);
}

async function list(ports: readonly string[], flags: { probe?: boolean; json?: boolean }): Promise<void> {
  const probe = flags.probe === true || ports.length > 0;
  const named = ports.map(addressed);
  const { readers, warning } = await listReaderPorts({ clock: systemClock, probe, named });
  if (named.length > 0 && readers.some(({ probe: asked }) => asked?.found === 'error')) process.exitCode = 1;
  const pcsc = named.length > 0 ? undefined : await listPcscReaders(systemClock);
  if (flags.json) {
    console.log(makeJsonPrintable(JSON.stringify({ ports: readers.map(asJson), pcsc, warning }, null, 2)));
    return;
  }
  if (pcsc) for (const line of pcscText(pcsc)) console.log(makePrintable(line));
  if (warning) console.error(makePrintable(warning));
  if (readers.length === 0)
    console.log(
      'No serial port found. Plug in a reader, or name its port: --reader pn532:/dev/ttyUSB0.\n' +
        'If you have no reader, "pinpad reader-emulator" emulates one.',
    );
  for (const reader of readers) for (const line of asText(reader)) console.log(makePrintable(line));
  if (readers.length > 0 && !probe) console.log('\n--probe asks each port which reader is connected.');
}

/**
 * @throws StartError if the text names no port, or if it names a driver. A driver is refused, because this command
 * itself finds the right driver
 */
function addressed(text: string) {
  const [, driver = '', port] = /^([^:]+):(.+?)(?:\?.*)?$/.exec(text) ?? [];
  if (port !== undefined && readerDriverNames.some((name) => name === driver))
    throw new StartError(
      `"${text}": leave out ${driver}, because the command finds the driver itself: pinpad readers ${port}`,
    );
  try {
    return parseReaderAddress(text);
  } catch (error) {
    if (error instanceof ReaderSpecError) throw new StartError(error.message);
    throw error;
  }
}

function pcscText({ readers, problem }: { readers: ListedPcscReader[]; problem?: string }): string[] {
  if (problem !== undefined) return [problem, ''];
  if (readers.length === 0) return ['No PC/SC reader is plugged in.', ''];
  return readers.flatMap(({ name, content, reader }) => [
    name,
    `    PC/SC, ${content}: --reader '${reader}'`,
    '',
  ]);
}

/** Returns the value of `--reader` for a reader that was found. */
function specOf({ path, probe }: ListedReaderPort): string | undefined {
  if (probe?.found === 'reader') return readerOptionText(probe, path);
  return probe?.found === 'silence' ? readerOptionText(silentPortDriver, path) : undefined;
}

function asJson(reader: ListedReaderPort) {
  const { path, device, description, usbId, serialNumber, probe } = reader;
  return {
    path,
    device,
    description,
    usbId,
    serialNumber,
    ...(probe ? { found: probe.found, reader: specOf(reader) } : {}),
    ...(probe?.found === 'reader' ? { driver: probe.driver, answers: probe.info.description } : {}),
    ...(probe?.found === 'error' ? { error: probe.error.message } : {}),
  };
}

function asText(reader: ListedReaderPort): string[] {
  const { path, device, description, usbId, serialNumber, probe } = reader;
  const about = [device === path ? '' : device, description, usbId, serialNumber && `serial ${serialNumber}`];
  const lines = [path, `    ${about.filter(Boolean).join(', ')}`];
  switch (probe?.found) {
    case 'reader':
      return [...lines, `    ${probe.info.description} answers: --reader ${specOf(reader)}`];
    case 'silence':
      return [
        ...lines,
        `    nothing answers. A magnetic stripe reader never answers: if one is connected to this port, use --reader ${specOf(reader)}`,
      ];
    case 'error':
      return [...lines, `    ${probe.error.message}`];
    case undefined:
      return lines;
  }
}
