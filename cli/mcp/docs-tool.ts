import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMeantName } from '../../shared/did-you-mean.ts';
import { findShippedFolder } from '../shipped-folder.ts';
import { readTextArgument, type Tool, ToolError } from './tool.ts';

/** Makes the tool that reads the documentation that comes with pinpad. */
export function makeDocsTool(): Tool {
  const folder = findShippedFolder('docs');
  const pages = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3));
  return {
    name: 'docs',
    description:
      'Reads the documentation: "page" names a page, and "section" names one of its sections. "query" finds the lines that have all words of the query, in that page or, without "page", in all pages. Without arguments the tool lists the pages.',
    properties: {
      page: { type: 'string', enum: pages },
      section: { type: 'string', description: 'With "page": a heading, or the part after # in a link' },
      query: { type: 'string', description: 'Words that a line must contain, in any order' },
    },
    reads: true,
    run: async (args) => {
      const [page, section, query] = ['page', 'section', 'query'].map((name) => readTextArgument(args, name));
      const read = (name: string) => readFileSync(join(folder, `${name}.md`), 'utf8').split('\n');
      if (page !== undefined && !pages.includes(page)) throw noPage(page, pages);
      if (page === undefined && section !== undefined)
        throw new ToolError(
          '"section" needs a "page"',
          'Name the page with "page", or look for words with "query".',
        );
      if (page !== undefined && query === undefined) {
        const lines = read(page);
        return {
          says: `docs/${page}.md`,
          data: section === undefined ? lines : sectionOf(lines, section, page),
        };
      }
      if (query === undefined)
        return {
          says: 'The pages:',
          data: pages.map((name) => `${name}: ${read(name)[0]?.replace(/^#\s*/, '')}`),
        };
      const found = (page === undefined ? pages : [page]).flatMap((name) =>
        linesWith(query, name, read(name)),
      );
      if (found.length === 0)
        throw new ToolError(
          'no line contains all of these words',
          'Use fewer words: a line must contain all of them. The tool "docs" without arguments lists the pages.',
        );
      return { says: `${found.length} lines; "page" reads the whole page.`, data: found };
    },
  };
}

function linesWith(query: string, name: string, lines: readonly string[]): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 20);
  const has = (line: string) => words.every((word) => line.toLowerCase().includes(word));
  return lines.flatMap((line, at) => (has(line) ? [`${name}:${at + 1} ${line}`] : []));
}

function sectionOf(lines: readonly string[], section: string, page: string): string[] {
  const headings = lines.flatMap((line, at) => {
    const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(line) ?? [];
    return marks === '' ? [] : [{ at, level: marks.length, name: anchorOf(title) }];
  });
  const found = headings.find(({ name }) => name === anchorOf(section));
  if (!found)
    throw new ToolError(
      `docs/${page}.md has no such section`,
      `It has ${headings.map(({ name }) => name).join(', ')}`.slice(0, 900),
    );
  const next = headings.find(({ at, level }) => at > found.at && level <= found.level);
  return lines.slice(found.at, next?.at);
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/^#/, '')
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}

function noPage(page: string, pages: readonly string[]): ToolError {
  const meant = findMeantName(page.slice(0, 60), pages);
  return new ToolError(
    'there is no such page',
    meant ? `Did you mean ${meant}?` : `There are ${pages.join(', ')}.`,
  );
}
