// Keys, passwords and tokens: files that contain them, and programs that print them.

import { finding, type Call, type Finding } from '../call.ts'
import { excerpt } from '../marks.ts'
import type { Rows } from '../rows.ts'

const prints = 'prints a password or token'

export const secretRows: Rows = {
  'shell-credentials': [
    ['gh', /^auth (token|status .*(-t|--show-token))/, prints],
    ['security', /^(find-(generic|internet)-password|dump-keychain|export)/, prints],
    ['gcloud', /^auth (application-default )?print-(access|identity)-token/, prints],
    ['aws', /^(configure (get|export-credentials)|sts get-session-token|secretsmanager get-secret-value)/, prints],
    ['aws', /^ssm get-parameter.*--with-decryption/, prints],
    ['az', /^(account get-access-token|keyvault secret show)/, prints],
    ['op', /^(read|item get)/, prints],
    ['pass', /^(show |[\w/-]+$)/, prints],
    ['vault', /^(read|kv get|token)/, prints],
    ['secret-tool', /^(lookup|search)/, prints],
    ['kubectl', /^(.* )?get secrets?\b|^config view .*--raw/, prints],
    ['npm', /^token/, prints],
    ['heroku', /^(auth:token|config)/, prints],
    ['gpg', /--export-secret/, prints],
    ['docker', /^(.* )?login\b.*(-p|--password)\b/, 'has a password in its arguments'],
  ],
}

const home = '(?:~[\\w-]*|/root|/home/[^/]+|/Users/[^/]+)'
const files: readonly RegExp[] = [
  /(^|[/@=:~])\.ssh(\/|$)/,
  /(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\/etc\/(g?shadow|sudoers)(-|$|\/|\.d)/,
  /\/etc\/ssl\/private/,
  /\/(var\/)?run\/secrets(\/|$)/,
  /\/proc\/[^/]+\/(environ|mem)$/,
  /(^|\/)\.git-credentials$/,
  new RegExp(`${home}/\\.(aws|azure|gnupg|password-store|kube|docker/config\\.json|netrc|pgpass|my\\.cnf)(/|$)`),
  new RegExp(`${home}/\\.(npmrc|yarnrc(\\.yml)?|pypirc|vault-token|cargo/credentials(\\.toml)?|gem/credentials)(/|$)`),
  new RegExp(`${home}/\\.config/(gcloud|gh|hub|op|doctl|rclone|git/credentials|google-chrome|chromium)`),
  new RegExp(`${home}/(Library/Keychains|\\.local/share/keyrings|\\.mozilla)`),
]

export const judgeSecretPath = (by: string, path: string): Finding | undefined =>
  !path.endsWith('.pub') && files.some((file) => file.test(path))
    ? finding('shell-credentials', `${by} touches ${excerpt(path)}, which holds keys or passwords`)
    : undefined

/** Programs that print their arguments and open no file. */
const printing = /^(echo|printf|true|:|test|\[|export)$/

export const judgeSecrets = ({ name, args }: Call): readonly (Finding | undefined)[] =>
  printing.test(name) ? [] : args.map((arg) => judgeSecretPath(name, arg))
