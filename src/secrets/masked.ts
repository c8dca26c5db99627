// Data that is about to be shown or sent, with every text in it masked.

import { maskTokens } from './mask.ts'

/**
 * The same value where there is nothing to mask. Names of keys stay as they are; where `only` is given, so does what
 * stands under any other.
 */
export function masked<T>(value: T, mask: (text: string) => string = maskTokens, only?: ReadonlySet<string>): T {
  if (typeof value === 'string') return only === undefined ? (mask(value) as T & string) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const all = value.map((each: unknown) => masked(each, mask, only))
    return all.every((each, index) => each === value[index]) ? value : (all as T & unknown[])
  }
  // Only what is written in braces is data; anything else is shown by who knows it.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(
    ([key, each]) => [key, masked(each as unknown, mask, only?.has(key) === true ? undefined : only)] as const,
  )
  return entries.every(([key, each]) => each === (value as Record<string, unknown>)[key])
    ? value
    : (Object.fromEntries(entries) as T & object)
}
