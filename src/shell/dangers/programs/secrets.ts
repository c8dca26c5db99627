// Keys, passwords and tokens: the files that hold them, and the programs that print them.

import { found, type Check, type Checks } from '../call.ts'
import { marks, shown } from '../marks.ts'

const { home } = marks
/** Somebody's home, by any way to say so. */
const ofHome = `(?:${home}|/root|/home/[^/]+|/Users/[^/]+)`

const files: readonly RegExp[] = [
  /(^|[/@=:\u{E005}])\.ssh(\/|$)/u,
  /(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\/etc\/(g?shadow|sudoers)(-|$|\/|\.d)/,
  /\/etc\/(ssl\/private|krb5\.keytab)/,
  /\/(var\/)?run\/secrets(\/|$)/,
  /\/proc\/[^/]+\/(environ|mem)$/,
  /(^|\/|\u{E005})\.git-credentials$/u,
  new RegExp(
    `${ofHome}/\\.(aws|azure|gnupg|password-store|kube|docker/config\\.json|netrc|pgpass|my\\.cnf|npmrc|yarnrc(\\.yml)?|pypirc|vault-token|cargo/credentials(\\.toml)?|gem/credentials|terraform\\.d/credentials.*)(/|$)`,
    'u',
  ),
  new RegExp(`${ofHome}/\\.config/(gcloud|gh|hub|op|doctl|rclone|git/credentials)`, 'u'),
  new RegExp(`${ofHome}/(Library/Keychains|\\.local/share/keyrings)`, 'u'),
  new RegExp(`${ofHome}/\\.(mozilla|config/(google-chrome|chromium))`, 'u'),
]

const isSecret = (path: string): boolean => !path.endsWith('.pub') && files.some((file) => file.test(path))

/** These print their arguments, and open none of them. */
const talking = new Set(['echo', 'printf', 'true', ':', 'test', '['])

export const namesSecret: Check = ({ name, args, targets }) => {
  const paths = [...(talking.has(name) ? [] : args), ...targets.map(({ path }) => path)]
  const path = paths.find(isSecret)
  return path === undefined
    ? undefined
    : found('shell-credentials', `${name === '' ? 'it' : name} touches ${shown(path)}, which holds keys or passwords`)
}

const prints = (what: string): ReturnType<typeof found> =>
  found('shell-credentials', `${what} prints a password or token`)

/** Words that follow the name, in this order, with anything between them. */
const words: readonly (readonly [program: string, pattern: RegExp])[] = [
  ['gh', /^auth (token|status .*(-t|--show-token))/],
  ['security', /^(find-(generic|internet)-password|dump-keychain|export)/],
  ['gcloud', /^auth (application-default )?print-(access|identity)-token/],
  [
    'aws',
    /^(configure (get|export-credentials)|sts get-session-token|secretsmanager get-secret-value|ssm get-parameter.*--with-decryption)/,
  ],
  ['az', /^(account get-access-token|keyvault secret show)/],
  ['op', /^(read|item get)/],
  ['pass', /^(show |[\w/-]+$)/],
  ['vault', /^(read|kv get|token)/],
  ['secret-tool', /^(lookup|search)/],
  ['kubectl', /^(.* )?get secrets?\b/],
  ['kubectl', /^config view .*--raw/],
  ['npm', /^token/],
  ['heroku', /^(auth:token|config)/],
  ['gpg', /--export-secret/],
  ['docker', /^(.* )?login\b.*(-p|--password)\b/],
  ['git-credential-manager', /^get/],
  ['keyctl', /^(read|print|pipe)/],
]

export const secrets: Checks = Object.fromEntries(
  [...new Set(words.map(([program]) => program))].map((program) => [
    program,
    ({ args }): ReturnType<typeof found> | undefined => {
      const line = args.join(' ')
      return words.some(([name, pattern]) => name === program && pattern.test(line))
        ? prints(`${program} ${shown(line)}`)
        : undefined
    },
  ]),
)
