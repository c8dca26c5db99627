// Paths that control the repository, its data, its keys or its public interfaces. Regular expressions, because several
// endings of one path would each need a glob.

import { globBase } from '../../plan/text/glob.ts'
import { wordFinder } from './find-words.ts'

interface Critical {
  readonly path: () => RegExp
  readonly why: string
  /** A lowercase text that every matching path contains, so that most paths need no expression. */
  readonly sign: string
  /** The exact path, for an entry with a fixed location. */
  readonly at?: string
}

const integration = 'changes continuous integration'
const deployment = 'changes a deployment'
const interfaces = 'changes a public interface'
const keys = 'touches a key or certificate'
const secrets = 'touches secrets'

/** Compiled on first use: fifty expressions take a millisecond, and most plans need none of them. */
function lazily(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined
  return () => (made ??= make())
}

/** A file or directory of continuous integration. */
const ci = (at: string, sign: string): Critical => ({
  path: lazily(() => new RegExp(`^${at.replaceAll('.', '\\.')}(/|$)`, 'i')),
  at,
  sign,
  why: integration,
})
/** A directory with this name at any depth. */
const folder = (name: string, why: string, sign = name): Critical => ({
  path: lazily(() => new RegExp(`(^|/)${name}(/|$)`, 'i')),
  sign,
  why,
})
/** Files with this extension. */
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

const hasSign = wordFinder([...new Set(criticalPaths.map(({ sign }) => sign))])

/**
 * Reasons why a path is critical, or contains a critical path: deleting `.github` deletes the workflows. The same for a
 * glob below a fixed directory.
 */
export function criticalReasons(path: string): string[] {
  if (!hasSign(path)) return []
  const base = globBase(path).toLowerCase()
  const holds = (at: string): boolean => base !== '' && (at === base || at.startsWith(`${base}/`))
  const within = criticalPaths.filter((each) => each.path().test(path) || (each.at !== undefined && holds(each.at)))
  return [...new Set(within.map(({ why }) => why))]
}

/**
 * Critical paths that a command names. A bare word may mean anything; only a word with a dot or a slash is taken for a
 * path.
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
