// The error for a commit that could not be signed, from the words of Git and of the signing program.

import { PlanError } from '../../errors.ts'

const noKey = /No secret key|signingkey or .* needs to be configured|Couldn't load public key|cannot run gpg/i

/** `key`: the value of user.signingkey. `isRequested`: signing was asked for, not configured. */
export function signingError(
  stderr: string,
  { key, isRequested }: { readonly key: string | undefined; readonly isRequested: boolean },
): PlanError {
  const lines = stderr.trim().split('\n')
  const missing = lines.find((line) => noKey.test(line))
  const isMissing = missing !== undefined || key === undefined
  const why = (missing ?? lines.at(-1) ?? '').replace(/^(?:error|fatal|gpg): /, '')
  return new PlanError(
    'preflight',
    isMissing
      ? `the commit could not be signed: Git has no signing key for you (${why})`
      : `the commit could not be signed: ${why}`,
    {
      hint: {
        ...(!isMissing
          ? {}
          : {
              'use your SSH key': 'git config gpg.format ssh && git config user.signingkey ~/.ssh/id_ed25519.pub',
            }),
        'test signing': "git commit-tree -S -m test 'HEAD^{tree}'",
        ...(isRequested ? {} : { 'turn it off': 'git config commit.gpgsign false' }),
      },
    },
  )
}
