// Policies, and the state that a command refused by the gate must not change.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Ran, TestRepo } from './repo.ts'

/** The file that a command of a forbidden plan would create. */
export const canary = (repo: TestRepo): string => `${repo.home}/canary`

/** Another person at the keyboard. */
export const as = (name: string): { env: Record<string, string> } => ({
  env: Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, name],
      [`GIT_${role}_EMAIL`, `${name.toLowerCase()}@example.com`],
    ]),
  ),
})

export function policy(repo: TestRepo, text: string): void {
  repo.write('.plans/config.yml', `version: 1\n${text}\n`)
  repo.commit('Policy')
}

/** At every level of risk: no push is an approval. */
export const bySignature = `approval: { ${['low', 'medium', 'high', 'critical'].map((level) => `${level}: { from: [signature] }`).join(', ')} }`

/** Signatures alone, by a key that is made for it. */
export function signedPolicy(repo: TestRepo): void {
  const key = join(repo.home, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  repo.git(['config', 'gpg.format', 'ssh'])
  repo.git(['config', 'user.signingkey', `${key}.pub`])
  repo.write('.plans/allowed_signers', `ada@example.com ${execFileSync('cat', [`${key}.pub`], { encoding: 'utf8' })}`)
  policy(repo, bySignature)
}

export async function ok(repo: TestRepo, args: readonly string[], input?: string): Promise<Ran> {
  const ran = await repo.plan(args, input === undefined ? {} : { input })
  expect(ran.code, ran.all).toBe(0)
  return ran
}

export function refused(repo: TestRepo, ran: Ran, why: string | RegExp): void {
  expect(ran.code, ran.all).toBe(3)
  expect(ran.all).toMatch(why)
  expect(existsSync(canary(repo))).toBe(false)
}
