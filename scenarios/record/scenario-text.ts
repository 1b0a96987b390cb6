import { Document, isMap, isScalar } from 'yaml';
import type { RecordedStep } from './recording.ts';

/** A scenario as a file for people to edit. */
export function scenarioText(scenario: {
  name: string;
  needs: Record<string, unknown>;
  steps: readonly RecordedStep[];
}): string {
  const { name, needs, steps } = scenario;
  const document = new Document({
    name,
    description: 'Recorded. Say here what it shows, and take out what does not matter.',
    ...(Object.keys(needs).length > 0 ? { needs } : {}),
    steps: steps.map(({ step }) => step),
  });
  for (const [index, { remark }] of steps.entries()) {
    const node = document.getIn(['steps', index], true);
    if (remark !== undefined && (isMap(node) || isScalar(node))) node.commentBefore = ` ${remark}`;
  }
  return document.toString({ lineWidth: 110, singleQuote: false });
}
