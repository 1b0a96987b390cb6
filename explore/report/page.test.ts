import { describe, expect, test } from 'vitest';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import { makeExploration, makeExploredSchedule } from './exploration.fixture.ts';
import { groupExplorationFindings } from './failures.ts';
import { matricesOf } from './matrix.ts';
import { renderExplorationPage } from './page.ts';

const unpaid = {
  is: 'paidBelievedUnpaid',
  says: 'The customer paid 12.5 and <b>"believes"</b> & more',
} as const;
const lost = 'dropAnswer@payment-request.1';
const failed = 'failAnswer-503@payment-request.1';

function pageOf(
  all: readonly ExploredSchedule[],
  known: readonly string[] = [],
  left: readonly string[] = [],
) {
  const exploration = makeExploration(all, {
    left,
    impossible: new Map([['gateway', 'it runs <elsewhere>']]),
  });
  return renderExplorationPage({
    exploration,
    findings: groupExplorationFindings(exploration, new Set(known)),
    again: (schedule) => `pinpad explore --only ${schedule} -- sh -c 'a && b'`,
    trace: ({ wanted }) => (wanted[0]?.fault === 'powerOff' ? undefined : `traces/${wanted[0]?.fault}.html`),
  });
}

describe('the page of an exploration (B306)', () => {
  test('has a mark for each fault at each moment, with a link to the trace of its run', () => {
    const page = pageOf([makeExploredSchedule(lost), makeExploredSchedule(failed, unpaid)]);
    expect(page).toContain(`<td class="survived"><a href="traces/dropAnswer.html" title="${lost}: survived.`);
    expect(page).toMatch(/<td class="failed"><a href="traces\/failAnswer-503.html"[^>]*>✗<\/a><\/td>/);
    expect(page).toContain('<th scope="row">payment-request.1</th>');
  });

  test('shows each outcome by a mark, not only by colour', () => {
    const test = { is: 'testFails', says: 'Your test fails' } as const;
    const page = pageOf(
      [
        makeExploredSchedule(lost),
        makeExploredSchedule(failed, unpaid),
        makeExploredSchedule('failAnswer-500@payment-request.1', unpaid),
        makeExploredSchedule('powerOff@pin.1', unpaid, { unstable: true }),
        makeExploredSchedule('decline@host.1', test),
      ],
      ['failAnswer-500@payment-request.1'],
      ['silent@host.1'],
    );
    const marks = [...page.matchAll(/<td class="(\w+)"[^>]*>(?:<[^>]*>)?([^<])/g)].map(([, word, mark]) => [
      word,
      mark,
    ]);
    expect(marks).toEqual([
      ['survived', '✓'],
      ['failed', '✗'],
      ['known', 'k'],
      ['unstable', '?'],
      ['testFails', 't'],
      ['notRun', '·'],
    ]);
    expect(page).toContain('1 failure of 1 cause, 1 survived, 1 known, 1 unstable, beliefs: not said');
  });

  test("loads nothing, runs no script, and shows a program's output as text", () => {
    const output = ['<script>alert(1)</script>', '"><img src=http://127.0.0.1/x>'];
    const page = pageOf([makeExploredSchedule(failed, unpaid, { output })]);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<img|<link|@import|url\(|<b>|&& b/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&#10;&quot;&gt;&lt;img');
    expect(page).toContain('gateway: it runs &lt;elsewhere&gt;');
  });

  test('has no link for a run without a trace, and lists runs with two faults separately', () => {
    const pair = makeExploredSchedule(failed, unpaid, { wanted: `${lost}+${failed}` });
    const page = pageOf([makeExploredSchedule('powerOff@pin.1'), pair]);
    expect(page).toMatch(/<td class="survived"><span title="[^"]*"[^>]*>✓<\/span><\/td>/);
    expect(page).toContain(`>${lost}+${failed}, also by ${failed}</a>`);
    expect(matricesOf(makeExploration([pair]))).toEqual([]);
  });
});
