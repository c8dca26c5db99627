// Masks every text in data that is about to be shown or sent.

import { maskTokens } from './mask.ts'

/**
 * Returns the same value if there is nothing to mask. Keys stay as they are; if `only` is given, so do the values of
 * other keys.
 */
export function maskValues<T>(value: T, mask: (text: string) => string = maskTokens, only?: ReadonlySet<string>): T {
  if (typeof value === 'string') return only === undefined ? (mask(value) as T & string) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const all = value.map((each: unknown) => maskValues(each, mask, only))
    return all.every((each, index) => each === value[index]) ? value : (all as T & unknown[])
  }
  // Only plain objects are data; instances of classes are left to their own code.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(
    ([key, each]) => [key, maskValues(each as unknown, mask, only?.has(key) === true ? undefined : only)] as const,
  )
  return entries.every(([key, each]) => each === (value as Record<string, unknown>)[key])
    ? value
    : (Object.fromEntries(entries) as T & object)
}
