import { expect, test } from 'vitest'
import { figure, isWhole } from './figures.ts'
import { mutants } from './mutant-table.ts'
import { checkApplies, hunt } from './mutants.ts'

test('there are mutants, and each still fits the code', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(10)
  for (const mutant of mutants) expect(() => checkApplies(mutant), mutant.name).not.toThrow()
})

test.skipIf(!isWhole).each(mutants)('$name is caught by $caughtBy', { timeout: 900_000 }, async (mutant) => {
  const { isCaught, said } = await hunt(mutant)
  figure('mutants', mutant.name, { 'caught by': mutant.caughtBy, caught: isCaught ? 'yes' : 'NO' })
  expect(isCaught, `${mutant.bug}\n${said.slice(-3000)}`).toBe(true)
})
