// Verifies with Git who signed a commit, against the allowed signers or the keys that the user trusts.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Repository } from '../repository.ts'

export type Signature = { readonly isGood: true; readonly by: string; readonly kind: 'ssh' | 'gpg' } | BadSignature

interface BadSignature {
  readonly isGood: false
  readonly why: string
  /** True: the signature is invalid everywhere. False: it may be valid elsewhere, or have been valid earlier. */
  readonly isWrong: boolean
}

/** `allowedSigners`: the contents of an allowed signers file to use instead of the configured one. */
export async function verifySignature(
  repo: Repository,
  commit: string,
  options: {
    allowedSigners?: Uint8Array | undefined
    /** Additional variables for Git: where the commit is, if it is not in the repository. */
    env?: Readonly<Record<string, string>>
  },
): Promise<Signature> {
  if (options.allowedSigners === undefined) return verifyWith(repo, commit, {}, options.env)
  const directory = await mkdtemp(join(tmpdir(), 'git-plan-signers-'))
  try {
    const file = join(directory, 'allowed_signers')
    await writeFile(file, options.allowedSigners)
    const signature = await verifyWith(repo, commit, { 'gpg.ssh.allowedSignersFile': file }, options.env)
    // Only that file says who may sign, and it names no GPG keys: anybody can make one with any name.
    return signature.isGood && signature.kind !== 'ssh'
      ? {
          isGood: false,
          isWrong: false,
          why: 'it is signed with GPG, but only the SSH keys in allowed_signers on the policy branch are accepted',
        }
      : signature
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function verifyWith(
  repo: Repository,
  commit: string,
  settings: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Signature> {
  const answer = await repo.git.run(['verify-commit', '--raw', commit], {
    ok: [0, 1, 128],
    env,
    settings: { 'gpg.minTrustLevel': 'fully', ...(await verifiers(repo)), ...settings },
  })
  const output = `${answer.stderr}\n${answer.stdout.toString()}`
  const by = signerIn(output)
  if (answer.code === 0 && by !== undefined) return { isGood: true, ...by }
  const why = reasonIn(output, answer.code === 0)
  return { isGood: false, why, isWrong: invalidReasons.has(why) }
}

const defaultVerifiers = {
  'gpg.program': 'gpg',
  'gpg.openpgp.program': 'gpg',
  'gpg.ssh.program': 'ssh-keygen',
  'gpg.x509.program': 'gpgsm',
}

/**
 * The verification programs of the user and the system. Those in the repository's own configuration would run on the
 * machine of anybody who only reads.
 */
async function verifiers(repo: Repository): Promise<Record<string, string>> {
  const own = (await repo.config.entries()).filter(({ scope }) => scope !== 'local' && scope !== 'worktree')
  const valueOf = (key: string): string | undefined => own.findLast((entry) => entry.key === key)?.value
  return Object.fromEntries(Object.entries(defaultVerifiers).map(([key, usual]) => [key, valueOf(key) ?? usual]))
}

/** The email address: a principal in the allowed signers, or the one in the user id of a GPG key. */
function signerIn(output: string): { readonly by: string; readonly kind: 'ssh' | 'gpg' } | undefined {
  const ssh = /^Good "git" signature for (\S+) with /m.exec(output)?.[1]
  if (ssh !== undefined) return { by: ssh, kind: 'ssh' }
  const gpg = /^\[GNUPG:\] GOODSIG \S+ .*<([^<>\s]+)>/m.exec(output)?.[1]
  return gpg === undefined ? undefined : { by: gpg, kind: 'gpg' }
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /allowedSignersFile needs to be configured/,
    'there are no allowed signers: the policy branch has no .plans/allowed_signers, and gpg.ssh.allowedSignersFile is not set',
  ],
  [/No principal matched|Good "git" signature with/, 'its key is not among the allowed signers'],
  [/NO_PUBKEY|ERRSIG/, 'its key is unknown here'],
  [/BADSIG|Could not verify signature|incorrect signature/, 'its signature is invalid'],
  [/REVKEYSIG|revoked/i, 'its key was revoked'],
  [/EXPKEYSIG|EXPSIG|expired/i, 'its key has expired'],
  [/TRUST_(UNDEFINED|NEVER|MARGINAL)/, 'its key is not trusted here'],
]

const invalidReasons = new Set(['its signature is invalid', 'its key was revoked'])

const reasonIn = (output: string, isAccepted: boolean): string =>
  reasons.find(([pattern]) => pattern.test(output))?.[1] ??
  (isAccepted
    ? 'its key has no email address'
    : output.trim() === ''
      ? 'it is not signed'
      : 'its signature cannot be verified')
