// Bugs, as patches against `src`: a suite that is to be believed catches each of them. A patch begins with what is wrong, the test that must fail, and
// where the calls are that it is about.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { ended } from '../helpers/repo.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = fileURLToPath(new URL('mutants', import.meta.url))

export interface Mutant {
  readonly name: string
  readonly patch: string
  readonly bug: string
  /** Below test/faults. */
  readonly caughtBy: string
  readonly calls: string | undefined
  /** What it must say: a test that fails for another reason has caught nothing. */
  readonly says: RegExp
}

export const mutants: readonly Mutant[] = readdirSync(directory)
  .filter((name) => name.endsWith('.patch'))
  .toSorted()
  .map((file) => {
    const text = readFileSync(join(directory, file), 'utf8')
    const header = (key: string): string | undefined => new RegExp(`^${key}: (.+)$`, 'm').exec(text)?.[1]
    const [bug, caughtBy, says] = [header('Bug'), header('Caught-by'), header('Says')]
    if (bug === undefined || caughtBy === undefined || says === undefined) throw new Error(`${file} must say Bug:, Caught-by: and Says:`)
    return { name: file.replace('.patch', ''), patch: join(directory, file), bug, caughtBy, calls: header('Calls'), says: new RegExp(says) }
  })

/** Throws where the code has moved away under the patch. */
export function checkApplies({ patch }: Mutant): void {
  execFileSync('git', ['apply', '--check', patch], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Builds the program with the bug, and runs the test that must catch it; answers with what that test said. */
export async function hunt({ patch, caughtBy, calls, says }: Mutant): Promise<{ isCaught: boolean; said: string }> {
  const copy = mkdtempSync(join(tmpdir(), 'git-plan-mutant-'))
  try {
    for (const name of ['src', 'test', '.ci', 'hooks', 'templates', 'package.json', 'package-lock.json', 'tsconfig.json'])
      cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    execFileSync('git', ['apply', patch], { cwd: copy, stdio: ['ignore', 'ignore', 'pipe'] })
    execFileSync(process.execPath, ['.ci/build.mjs'], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, GIT_PLAN_DIST: join(copy, 'dist') },
    })
    const child = spawn(join(copy, 'node_modules/.bin/vitest'), ['run', '--config', 'test/vitest.config.ts', `test/faults/${caughtBy}`], {
      cwd: copy,
      env: {
        ...process.env,
        GIT_PLAN_DIST: join(copy, 'dist'),
        GIT_PLAN_FAULTS: 'sample',
        GIT_PLAN_FAULTS_OUT: undefined,
        GIT_PLAN_TESTS: undefined,
        ...(calls === undefined ? {} : { GIT_PLAN_CALLS: calls }),
      },
    })
    const { code, all } = await ended(child)
    return { isCaught: code === 1 && says.test(stripVTControlCharacters(all)), said: all }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
