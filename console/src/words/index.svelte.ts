// The texts of the console in the language of the user. `t.chat.send` is the present text, also after the language changes.

import { en } from './en';

type Widened<T> = T extends string ? string : T extends (...parameters: infer P) => string ? (...parameters: P) => string : { readonly [K in keyof T]: Widened<T[K]> };

export type Words = Widened<typeof en>;

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

let words = $state.raw<Words>(en);
let language = $state<Language>('en');

export const t: Words = new Proxy({} as Words, { get: (_, section: string) => words[section as keyof Words] });

/** The language, for `Intl`. */
export function locale(): Language {
  return language;
}

/** Changes the language. One that the console does not have is replaced by English. */
export async function useLanguage(tag: string): Promise<void> {
  const wanted = tag.slice(0, 2).toLowerCase();
  if (wanted === 'de') {
    words = (await import('./de')).de;
    language = 'de';
  } else {
    words = en;
    language = 'en';
  }
  document.documentElement.lang = language;
}

export function dateTime(value: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(value));
}

export function date(value: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(value));
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale()).format(value);
}

/** A cost in billionths of a dollar, with as many digits as a small one needs. */
export function cost(nanos: number): string {
  const dollars = nanos / 1e9;
  const maximumFractionDigits = dollars > 0 && dollars < 0.01 ? 6 : dollars < 1 ? 4 : 2;
  return new Intl.NumberFormat(locale(), { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits }).format(dollars);
}

/** A number of milliseconds, in the two largest units. */
export function duration(milliseconds: number): string {
  const of = (value: number, unit: 'second' | 'minute' | 'hour' | 'day', digits = 0) =>
    new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }).format(value);
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return of(seconds, 'second', seconds < 0.095 ? 2 : 1);
  const whole = Math.round(seconds);
  if (whole < 60) return of(whole, 'second');
  if (whole < 3600) return `${of(Math.floor(whole / 60), 'minute')} ${of(whole % 60, 'second')}`;
  const minutes = Math.round(whole / 60);
  if (minutes < 1440) return `${of(Math.floor(minutes / 60), 'hour')} ${of(minutes % 60, 'minute')}`;
  const hours = Math.round(minutes / 60);
  return `${of(Math.floor(hours / 24), 'day')} ${of(hours % 24, 'hour')}`;
}

export function bytes(value: number): string {
  const [unit, divisor] = value >= 1 << 20 ? (['megabyte', 1 << 20] as const) : value >= 1024 ? (['kilobyte', 1024] as const) : (['byte', 1] as const);
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: unit === 'megabyte' ? 1 : 0 }).format(value / divisor);
}

/** Two sizes that differ, so that they do not look the same. */
export function differentBytes(one: number, other: number): [string, string] {
  const exact = new Intl.NumberFormat(locale(), { style: 'unit', unit: 'byte', unitDisplay: 'long' });
  return bytes(one) === bytes(other) ? [exact.format(one), exact.format(other)] : [bytes(one), bytes(other)];
}
