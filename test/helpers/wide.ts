// Tests that `npm test` has no time for: more variants of cases that it does try. `npm run test:wide` runs all.

export const isWide = process.env['GIT_PLAN_TESTS'] === 'wide'

/** A sample of the values, or all of them. */
export const some = <T>(items: readonly T[], chosen: readonly number[]): readonly T[] =>
  isWide ? items : items.filter((_, at) => chosen.includes(at))
