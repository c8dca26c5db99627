// Puts a bug into a copy of the program, and runs the test that must catch it.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { ended } from '../helpers/repo.ts'
import type { Mutant } from './mutant-table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Throws if the code that it changes does not occur exactly once. */
function plant({ edits }: Mutant, directory: string, { isDry = false } = {}): void {
  for (const { file, find, replace } of edits) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    const parts = (find.match(/\w+|[^\w\s]/g) ?? []).map((part) => part.replace(/[^\w]/g, String.raw`\$&`))
    const pattern = new RegExp(parts.join(String.raw`\s*`), 'g')
    const found = text.match(pattern)?.length ?? 0
    if (found !== 1) throw new Error(`${file} has ${found} places like ${find}`)
    if (!isDry)
      writeFileSync(
        path,
        text.replace(pattern, () => replace),
      )
  }
}

export const checkApplies = (mutant: Mutant): void => plant(mutant, root, { isDry: true })

/** Builds the program with the bug, and runs the test that must catch it; answers with what that test said. */
export async function hunt(mutant: Mutant): Promise<{ isCaught: boolean; said: string }> {
  const { caughtBy, calls, says } = mutant
  const copy = mkdtempSync(join(tmpdir(), 'git-plan-mutant-'))
  try {
    for (const name of [
      'src',
      'test',
      '.ci',
      'hooks',
      'templates',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ])
      cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    plant(mutant, copy)
    execFileSync(process.execPath, ['.ci/build.mjs'], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, GIT_PLAN_DIST: join(copy, 'dist') },
    })
    const child = spawn(
      join(copy, 'node_modules/.bin/vitest'),
      ['run', '--config', 'test/vitest.config.ts', `test/faults/${caughtBy}`],
      {
        cwd: copy,
        env: {
          ...process.env,
          GIT_PLAN_DIST: join(copy, 'dist'),
          GIT_PLAN_FAULTS: 'sample',
          GIT_PLAN_FAULTS_OUT: undefined,
          GIT_PLAN_TESTS: undefined,
          ...(calls === undefined ? {} : { GIT_PLAN_CALLS: calls }),
        },
      },
    )
    const { code, all } = await ended(child)
    return { isCaught: code === 1 && says.test(stripVTControlCharacters(all)), said: all }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
