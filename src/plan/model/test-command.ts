// The shell command of a `test`.

import type { CountedTest } from './plan.ts'

/** The environment variable with the scope of a counted test. */
export const scopeVariable = 'PLAN_TEST_SCOPE'

/**
 * `{scope}` becomes the value of a variable as one word, or no word if it is empty. The shell never parses the value,
 * even if the placeholder is part of a command for another shell.
 */
export const testCommand = (test: string, counted: CountedTest | undefined): string =>
  counted === undefined ? test : test.replaceAll('{scope}', () => `\${${scopeVariable}:+"$${scopeVariable}"}`)

/** False: the scope would have no effect. */
export const usesScope = (test: string): boolean => test.includes('{scope}') || test.includes(scopeVariable)
