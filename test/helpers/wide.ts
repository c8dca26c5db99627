// What `npm test` has no time for: breadth beside a case of the same kind that it does try. All of it: npm run
// test:wide.

export const isWide = process.env['GIT_PLAN_TESTS'] === 'wide'

/** Some of them, or all. */
export const some = <T>(items: readonly T[], chosen: readonly number[]): readonly T[] =>
  isWide ? items : items.filter((_, at) => chosen.includes(at))
