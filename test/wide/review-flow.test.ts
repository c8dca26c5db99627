// The review workflow of the README, from the policy to the audit, typed as it is there, on a forge on loopback.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { actionsOf } from '../helpers/documentation.ts'
import { ForgeRepo } from '../helpers/forge.ts'
import { withProgram } from '../helpers/page-repository.ts'
import { ended, type Ran } from '../helpers/repo.ts'

const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const section = page.slice(page.indexOf('\n## Reviews\n')).split('\n## ')[1] ?? ''
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(section)?.[1] ?? ''

/** As a shell would find it; the forge answers from this very process, so nothing here may wait for a command. */
function typed({ repo }: ForgeRepo, line: string): Promise<Ran> {
  const child = spawn('sh', ['-c', line], { cwd: repo.dir, env: repo.env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end()
  return ended(child)
}

test('the review flow of the README does what it says', { timeout: 300_000 }, async () => {
  const forge = await ForgeRepo.start('')
  const { repo } = forge
  try {
    withProgram(repo)
    repo.git(['config', '--global', `url.${forge.bare}.insteadOf`, 'git@github.com:acme/hello.git'])
    repo.write('README.md', '# Hello\n')
    repo.commit('What the plan changes')
    const known = repo.read('.plans/config.yml')
    repo.write('.plans/config.yml', `${known}${block('yaml')}`)
    const greet = actionsOf(page).find((action) => action.kind === 'file' && action.path === '.plans/greet.md')
    if (greet?.kind !== 'file') throw new Error('the README has no plan greet')
    writeFileSync(join(dirname(repo.dir), 'greet.md'), greet.text)

    const lines = block('text').trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(10)
    for (const line of lines) {
      if (line.startsWith('# Bob')) forge.approve('bob', { commit_id: forge.tip('greet') })
      else {
        const ran = await typed(forge, line.slice('$ '.length))
        expect(ran.code, `${line}\n${ran.all}`).toBe(line.endsWith(' fails') ? 1 : 0)
      }
    }
    expect(repo.git(['log', '-1', '--format=%s', 'main'], { cwd: forge.bare })).toContain('Greet the world')
  } finally {
    await forge.close()
  }
})
