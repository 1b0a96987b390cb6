import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { loadOpenapiDocument, StartError } from '../gateway/index.ts';

export function makeOpenapiCommand(): Command {
  return new Command('openapi')
    .description(
      'Prints the OpenAPI 3.1 document of the payments API and the control API, as GET /openapi.json serves it.',
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action(async (flags: { output?: string }) => {
      const text = `${JSON.stringify(await loadOpenapiDocument(), null, 2)}\n`;
      if (flags.output) write(flags.output, text);
      else process.stdout.write(text);
    });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new StartError(`cannot write the document: ${(error as Error).message}`);
  }
}
