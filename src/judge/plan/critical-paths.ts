// Paths that decide over the repository, its data, its keys or what others rely on. Expressions and not globs: those
// that end a part of a path in several ways would each be several globs.

import { globBase } from '../../plan/text/glob.ts'
import { finderOf } from './find-words.ts'

interface Critical {
  readonly path: () => RegExp
  readonly why: string
  /** What every path that it is about holds, in small letters: most paths need no closer look. */
  readonly sign: string
  /** Where it lies, for what is in one place. */
  readonly at?: string
}

const integration = 'changes continuous integration'
const deployment = 'changes a deployment'
const interfaces = 'changes a public interface'
const keys = 'touches a key or certificate'
const secrets = 'touches secrets'

/** Made at its first use: fifty expressions take a millisecond, and most plans come near none of them. */
function lazily(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined
  return () => (made ??= make())
}

/** One file or directory of continuous integration. */
const ci = (at: string, sign: string): Critical => ({
  path: lazily(() => new RegExp(`^${at.replaceAll('.', '\\.')}(/|$)`, 'i')),
  at,
  sign,
  why: integration,
})
/** A directory anywhere. */
const folder = (name: string, why: string, sign = name): Critical => ({
  path: lazily(() => new RegExp(`(^|/)${name}(/|$)`, 'i')),
  sign,
  why,
})
/** An ending. */
const ending = (name: string, why: string): Critical => ({
  path: lazily(() => new RegExp(`\\.${name}$`, 'i')),
  sign: `.${name}`,
  why,
})

export const criticalPaths: readonly Critical[] = [
  ci('.github/workflows', 'github'),
  ci('.github/actions', 'github'),
  ci('.gitlab-ci.yml', 'gitlab'),
  ci('.circleci', 'circleci'),
  ci('.buildkite', 'buildkite'),
  ci('.travis.yml', 'travis'),
  ci('.drone.yml', 'drone'),
  ci('.woodpecker', 'woodpecker'),
  ci('azure-pipelines.yml', 'pipelines'),
  ci('bitbucket-pipelines.yml', 'pipelines'),
  { path: lazily(() => /(^|\/)jenkinsfile[^/]*$/i), sign: 'jenkinsfile', why: integration },
  {
    path: lazily(() => /^\.plans\/config\.yml$/i),
    at: '.plans/config.yml',
    sign: '.plans',
    why: 'changes the policy for plans',
  },
  { path: lazily(() => /(^|\/)codeowners$/i), sign: 'codeowners', why: 'changes code owners' },
  ending('rego', 'changes a policy'),
  folder('migrations', 'changes a database migration'),
  folder('db/migrate', 'changes a database migration', 'migrate'),
  folder('alembic/versions', 'changes a database migration', 'alembic'),
  folder('auth', 'changes authentication'),
  folder('authentication', 'changes authentication', 'auth'),
  { path: lazily(() => /(^|\/)auth\.[^/]*$/i), sign: 'auth', why: 'changes authentication' },
  folder('authorization', 'changes authorization', 'auth'),
  folder('deploy(ments?)?', deployment, 'deploy'),
  folder('k8s', deployment),
  folder('kubernetes', deployment),
  folder('helm', deployment),
  folder('terraform', deployment),
  ending('tf', deployment),
  ending('tfvars', deployment),
  folder('infra(structure)?', deployment, 'infra'),
  folder('prod(uction)?', 'changes production', 'prod'),
  { path: lazily(() => /(^|\/)(openapi|asyncapi)\.[^/]*$/i), sign: 'api.', why: interfaces },
  { path: lazily(() => /(^|\/)swagger\.[^/]*$/i), sign: 'swagger.', why: interfaces },
  ending('proto', interfaces),
  ending('graphql', interfaces),
  ending('graphqls', interfaces),
  ending('thrift', interfaces),
  ending('avsc', interfaces),
  ending('pem', keys),
  ending('key', keys),
  ending('p12', keys),
  ending('pfx', keys),
  ending('jks', keys),
  ending('keystore', keys),
  ending('kdbx', keys),
  { path: lazily(() => /(^|\/)id_(rsa|dsa|ecdsa|ed25519)$/i), sign: 'id_', why: keys },
  { path: lazily(() => /(^|\/)secrets?(\/|\.[^/]*$|$)/i), sign: 'secret', why: secrets },
  { path: lazily(() => /(^|\/)\.env(\.(?!example|sample|template|dist)[^/]*)?$/i), sign: '.env', why: secrets },
  { path: lazily(() => /(^|\/)credentials(\.[^/]*)?$/i), sign: 'credentials', why: secrets },
]

const hasSign = finderOf([...new Set(criticalPaths.map(({ sign }) => sign))])

/**
 * A path counts where it is critical, or holds what is: deleting `.github` deletes the workflows. The same for a glob
 * below a named directory.
 */
export function criticalReasons(path: string): string[] {
  if (!hasSign(path)) return []
  const base = globBase(path).toLowerCase()
  const holds = (at: string): boolean => base !== '' && (at === base || at.startsWith(`${base}/`))
  const within = criticalPaths.filter((each) => each.path().test(path) || (each.at !== undefined && holds(each.at)))
  return [...new Set(within.map(({ why }) => why))]
}

/**
 * What a command names and is critical. A word alone may mean anything; one with a dot or a slash in it means a file.
 */
export function criticalWords(command: string): { readonly path: string; readonly why: string }[] {
  if (!hasSign(command)) return []
  const words = command
    .split(/[\s'"`=;|&()<>{},]+/)
    .filter((word) => /[./]/.test(word) && !word.includes('://') && !word.startsWith('-') && word.length < 1000)
  return [...new Set(words)].flatMap((word) => {
    const path = word.replace(/^(\.\/)+/, '').replace(/\/+$/, '')
    return criticalReasons(path).map((why) => ({ path, why }))
  })
}
