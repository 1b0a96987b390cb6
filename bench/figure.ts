/** What a figure should reach. */
export type Aim = { atLeast: number } | { atMost: number };

/** One measured number. Only ratios carry over from machine to machine; the rest is printed beside them. */
export interface Figure {
  name: string;
  value: number;
  unit: 'ratio' | 'ms' | 'kB' | '/s' | 'µs CPU';
  aim?: Aim;
}

export function isMet({ value, aim }: Figure): boolean | undefined {
  if (!aim) return undefined;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}

export function verdict(figure: Figure): string {
  const met = isMet(figure);
  return met === undefined ? '' : met ? 'met' : 'MISSED';
}

export function aimText({ aim }: Figure): string {
  if (!aim) return '';
  return 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
}

/** Three digits that matter. */
export function valueText({ value }: Pick<Figure, 'value'>): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
