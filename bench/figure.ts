/** The limit for a figure, and its goal (`best`). The limit is a minimum (`atLeast`) or a maximum (`atMost`). */
export type Aim = { atLeast: number; best?: number } | { atMost: number; best?: number };

/** One measured number. Only ratios can be compared between machines; all other numbers are printed for information. */
export interface Figure {
  name: string;
  value: number;
  unit: 'ratio' | 'each' | 'ms' | 'MB' | 'kB' | '/s' | 'µs CPU';
  aim?: Aim;
}

export function isMet({ value, aim }: Figure): boolean | undefined {
  if (!aim) return undefined;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}

export function figureVerdict(figure: Figure): string {
  const { value, aim } = figure;
  if (!aim) return '';
  if (!isMet(figure)) return 'MISSED';
  if (aim.best === undefined) return 'met';
  return ('atLeast' in aim ? value >= aim.best : value <= aim.best) ? 'met, best' : 'met';
}

export function aimText({ aim }: Figure): string {
  if (!aim) return '';
  const [sign, limit] = 'atLeast' in aim ? ['≥', aim.atLeast] : ['≤', aim.atMost];
  return aim.best === undefined ? `${sign} ${limit}` : `${sign} ${limit}, best ${aim.best}`;
}

/** Returns a value as text: with two decimals below 10, with one decimal below 100, and otherwise without decimals. */
export function valueText({ value }: Pick<Figure, 'value'>): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
