import { plainPaint, resultLine, runScenario, runScenarios, summaryText } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { selectScenarios } from '../run/selection.ts';
import { findScenarioFilesInside } from './scenario-files.ts';
import { readTextArgument, readTextsArgument, type Tool, ToolError } from './tool.ts';

/**
 * Makes the tool that runs scenarios of the project. Each scenario gets a gateway of its own, and runs in virtual time.
 */
export function makeScenarioRunTool(folder: string): Tool {
  return {
    name: 'run',
    description:
      'Runs scenario files of this project in virtual time, and says which scenarios fail and why. Each scenario has its own gateway and terminals. The tool "docs" with "page": "scenarios" describes the format of these files.',
    properties: {
      paths: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Files and folders in the folder where pinpad mcp was started',
      },
      grep: {
        type: 'string',
        description: 'Run only scenarios whose name, file or tags contain this text',
      },
    },
    required: ['paths'],
    reads: false,
    keepsFiles: true,
    run: async (args, call) => {
      const paths = readTextsArgument(args, 'paths');
      if (!paths || paths.length === 0)
        throw new ToolError('no "paths" are given', 'Name files or folders with scenarios.');
      const files = findScenarioFilesInside(folder, paths);
      const scenarios = selectScenarios(files, literally(readTextArgument(args, 'grep')));
      let ended = 0;
      const lines: string[] = [];
      const summary = await runScenarios(scenarios, {
        ...{ workers: 2, clock: systemClock, signal: call.signal },
        run: (scenario, seed) => runScenario(scenario, { seed, staysHere: true }),
        ended: (result) => {
          lines.push(...resultLine(result, plainPaint).split('\n'));
          call.progress(++ended, scenarios.length, result.verdict);
        },
      });
      const failed = summary.results.filter(({ verdict }) => verdict === 'failed').length;
      const says =
        failed === 0
          ? `${summary.results.length} scenarios, none failed.`
          : `${failed} of ${summary.results.length} scenarios failed. Fix the failures that are listed below, and run the scenarios again.`;
      return { says, data: [...summaryText(summary, plainPaint, 'brief').split('\n'), ...lines] };
    },
  };
}

/**
 * Returns a regular expression that matches exactly this text. The tool does not take regular expressions from an
 * agent, because one could keep this process busy for ever.
 */
function literally(text: string | undefined): string | undefined {
  return text?.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
