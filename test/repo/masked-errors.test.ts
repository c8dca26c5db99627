// What git says is quoted in errors. An address with a password may be in it.

import { expect } from 'vitest'
import { Repository } from '../../src/git/repository.ts'
import { runPorcelain } from '../../src/git/command/porcelain.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { drawn } from '../helpers/drawn-secrets.ts'
import { test } from '../helpers/repo.ts'

const password = drawn('word', 16)
const address = `https://deploy:${password}@git.acme.io/a.git`

test('the password of an address is in no error of git', async ({ repo }) => {
  const found = await Repository.open({ cwd: repo.dir, env: gitEnvironment(repo.env) })
  try {
    for (const fail of [
      () => found.git.run(['merge-base', address, 'HEAD']),
      () => runPorcelain(found.git, ['checkout', address]),
    ]) {
      const error: unknown = await fail().catch((each: unknown) => each)
      expect(error).toMatchObject({
        code: 'git-failed',
        message: expect.stringContaining('deploy:[secret]@git.acme.io'),
      })
      expect((error as Error).message).not.toContain(password)
    }
  } finally {
    found.close()
  }
})
