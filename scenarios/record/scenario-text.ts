import { Document, isMap, isScalar } from 'yaml';
import type { RecordedStep } from './recording.ts';

/** Returns a scenario as the text of a file that people can edit. */
export function scenarioText(scenario: {
  name: string;
  description?: string;
  remark?: readonly string[];
  needs: Record<string, unknown>;
  steps: readonly RecordedStep[];
}): string {
  const { name, needs, steps, remark = [] } = scenario;
  const {
    description = 'Recorded. Write here what the scenario shows, and remove steps that do not matter.',
  } = scenario;
  const document = new Document({
    name,
    description,
    ...(Object.keys(needs).length > 0 ? { needs } : {}),
    steps: steps.map(({ step }) => step),
  });
  remarkOn(document, ['steps'], steps);
  if (remark.length > 0) document.commentBefore = remark.map((line) => ` ${line}`).join('\n');
  return document.toString(form);
}

/** Returns steps as text to paste into a scenario. */
export function stepsText(steps: readonly RecordedStep[]): string {
  const document = new Document(steps.map(({ step }) => step));
  remarkOn(document, [], steps);
  return document.toString(form);
}

const form = { lineWidth: 110, singleQuote: false } as const;

function remarkOn(document: Document, path: readonly string[], steps: readonly RecordedStep[]): void {
  for (const [index, { remark }] of steps.entries()) {
    const node = document.getIn([...path, index], true);
    if (remark !== undefined && (isMap(node) || isScalar(node))) node.commentBefore = ` ${remark}`;
  }
}
