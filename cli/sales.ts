import { Command } from 'commander';
import type { Sale } from '../client/openapi-types.ts';
import { systemClock } from '../shared/clock.ts';
import { ruleLinkOf } from '../shared/lint/finding.ts';
import { makeJsonPrintable, makePrintable } from '../shared/printable.ts';
import { RecentlyUsedCache } from '../shared/recently-used.ts';
import { isSaleUntold } from '../shared/sales/is-untold.ts';
import { formatSaleLine } from '../shared/sales/sale-line.ts';
import {
  type ControlledGateway,
  controlClientOf,
  followSales,
  withGatewayErrorsExplained,
} from '../stack/index.ts';
import {
  type AttachFlags,
  addAttachOptions,
  connectionEndedText,
  findRunningGateway,
} from './attached-gateway.ts';
import { handleStopSignals } from './listen-for-stop.ts';
import { makeWholeNumberParser } from './options.ts';

/** The maximum number of columns of a line if the width of the window is unknown. */
const usualColumns = 120;

interface SalesFlags extends AttachFlags {
  account?: string;
  limit: number;
  untold?: boolean;
  follow?: boolean;
  json?: boolean;
}

export function makeSalesCommand(): Command {
  const command = new Command('sales')
    .description(
      'Lists the sales of a point of sale at the gateway that runs here (docs/sales.md). ' +
        'The command prints a line for each sale, with its time, amount, terminal, reference or key, requests with their results, and outcome. ' +
        'With a saleId, or the identifier of a payment, it shows only that sale, with every request.',
    )
    .argument('[sale]', 'one sale')
    .option('--account <id>', 'show only sales of this account')
    .option('--limit <number>', 'how many of the latest sales to show', makeWholeNumberParser(1, 1000), 20)
    .option('--untold', 'show only sales that moved money but whose outcome did not reach the point of sale')
    .option('--follow', 'also print each sale that ends from now on, until Ctrl-C')
    .option('--json', 'print each sale as a line of JSON');
  return addAttachOptions(command).action((saleId: string | undefined, flags: SalesFlags) => {
    const gateway = findRunningGateway(flags);
    if (saleId !== undefined)
      return withGatewayErrorsExplained(gateway, () => showOne(gateway, saleId, flags));
    return withGatewayErrorsExplained(gateway, () =>
      flags.follow ? follow(gateway, flags) : list(gateway, flags),
    );
  });
}

async function showOne(gateway: ControlledGateway, saleId: string, { json }: SalesFlags): Promise<void> {
  const sale = await controlClientOf(gateway).GET('/control/sales/{saleId}', {
    params: { path: { saleId } },
  });
  console.log(text(sale, { json }));
  if (json) return;
  for (const { at, method, path, end, status, error } of sale.calls) {
    const became = end === 'answered' ? [status, error].filter(Boolean).join(' ') : end;
    console.log(makePrintable(`  ${at.slice(11, 23)}  ${method} ${path}  ${became}`));
  }
  for (const { rule, severity, what, fix } of sale.findings)
    console.log(makePrintable(`  ${severity}: ${what}; ${fix} (${ruleLinkOf(rule)})`));
}

async function list(gateway: ControlledGateway, flags: SalesFlags): Promise<void> {
  for (const sale of (await latest(gateway, flags)).toReversed()) console.log(text(sale, flags));
}

/** Reads up to `limit` sales to show, the latest first. Sales that are not shown do not count towards the limit. */
async function latest(gateway: ControlledGateway, flags: SalesFlags): Promise<Sale[]> {
  const { account: accountId, limit } = flags;
  // With the filter `untold` (the point of sale was not told the outcome), the gateway also returns sales that moved no
  // money. `isToShow` leaves these sales out.
  const filter = flags.untold ? ({ told: 'untold', own: 'false' } as const) : {};
  const found: Sale[] = [];
  let before: string | undefined;
  do {
    const query = { accountId, limit, before, ...filter };
    const { sales, next } = await controlClientOf(gateway).GET('/control/sales', { params: { query } });
    found.push(...sales.filter((sale) => isToShow(sale, flags)));
    before = next;
  } while (before !== undefined && found.length < limit);
  return found.slice(0, limit);
}

/** Prints each sale when the sale is over, and again each time that the text of its line has changed. */
async function follow(gateway: ControlledGateway, flags: SalesFlags): Promise<void> {
  const onLost = () => console.error(connectionEndedText(gateway));
  const shown = new RecentlyUsedCache<string>(1_000);
  const watching = { clock: systemClock, signal: handleStopSignals().signal, onLost };
  const show = (sale: Sale) => {
    const said = text(sale, flags);
    if (sale.endedAt === null || !isToShow(sale, flags) || shown.get(sale.saleId) === said) return;
    shown.set(sale.saleId, said);
    console.log(said);
  };
  // The stream begins with the latest sales, whether or not the point of sale was told their outcome. So it may leave
  // out older sales whose outcome the point of sale was not told. These sales are printed here.
  if (flags.untold) for (const sale of (await latest(gateway, flags)).toReversed()) show(sale);
  await followSales({ ...gateway, ...watching, accountId: flags.account, recent: flags.limit }, show);
}

function isToShow(sale: Sale, { untold }: SalesFlags): boolean {
  return !untold || isSaleUntold(sale);
}

function text(sale: Sale, { json }: Pick<SalesFlags, 'json'>): string {
  return json ? jsonLine(sale) : makePrintable(line(sale));
}

function line(sale: Sale): string {
  return formatSaleLine(sale, process.stdout.columns ?? usualColumns);
}

function jsonLine(sale: Sale): string {
  return makeJsonPrintable(JSON.stringify(sale));
}
