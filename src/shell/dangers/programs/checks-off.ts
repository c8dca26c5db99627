// What switches a check off, in variables and options.

import { found, type Check, type Checks, type Found } from '../call.ts'
import { given } from '../options.ts'

const off = (message: string): Found => found('shell-checks-off', message)

const variables: readonly (readonly [name: RegExp, value: RegExp, why: string])[] = [
  [/^HUSKY$/, /^0$/, 'leaves the hooks out'],
  [/^HUSKY_SKIP_HOOKS$/, /./, 'leaves the hooks out'],
  [/^LEFTHOOK$/, /^(0|false)$/, 'leaves the hooks out'],
  [/^PRE_COMMIT_ALLOW_NO_CONFIG$/, /./, 'leaves the hooks out'],
  [/^NODE_TLS_REJECT_UNAUTHORIZED$/, /^0$/, 'lets anybody answer for a server'],
  [/^GIT_SSL_NO_VERIFY$/, /^(?!(0|false|)$)/, 'lets anybody answer for the remote'],
  [/^PYTHONHTTPSVERIFY$/, /^0$/, 'lets anybody answer for a server'],
  [/^npm_config_strict_ssl$/i, /^false$/, 'lets anybody answer for the registry'],
  [/^(CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/, /^$/, 'lets anybody answer for a server'],
  [/^GIT_CONFIG_(KEY|VALUE)_\d+$/, /hookspath|sslverify/i, 'switches a check of git off'],
]

/** Programs that run hooks, which `SKIP` names. */
const hooked = new Set(['git', 'pre-commit', 'prek', ''])

/** Variables in front of any program, or set for those that follow. */
export const switchedOff: Check = ({ name, env, args }) =>
  [...env].map(([variable, value]) => {
    if (variable === 'SKIP' && value !== '' && (hooked.has(name) || name === 'export'))
      return off('SKIP leaves hooks out')
    const known = variables.find(([pattern, wanted]) => pattern.test(variable) && wanted.test(value))
    return known === undefined
      ? undefined
      : off(`${variable}=${value} ${known[2]}${args.length === 0 && name === '' ? ' from here on' : ''}`)
  })

const option =
  (message: string, ...names: readonly string[]): Check =>
  ({ args }) =>
    given(args, '-o -d -H -X -A -u -e -F -T -b -c -w -m -O -P').has(...names) ? off(message) : undefined

const npm: Check = ({ name, args }) => {
  const line = args.join(' ')
  return /(^| )config set strict-ssl[ =]false|--strict-ssl[ =]false|--no-strict-ssl|^config set .*strictSsl false/i.test(
    line,
  )
    ? off(`${name}: strict-ssl=false lets anybody answer for the registry`)
    : undefined
}

const ssh: Check = ({ name, args }) =>
  args.some((arg) => /stricthostkeychecking[= ]no/i.test(arg) || /userknownhostsfile[= ]\/dev\/null/i.test(arg))
    ? off(`${name} does not check who answers`)
    : undefined

export const checksOff: Checks = {
  curl: option('curl -k lets anybody answer for the server', '-k', '--insecure', '--proxy-insecure'),
  'wget wget2': option('wget --no-check-certificate lets anybody answer for the server', '--no-check-certificate'),
  'pip pip3 uv python python3': ({ name, args }) =>
    args.some((arg) => arg.startsWith('--trusted-host'))
      ? off(`${name} --trusted-host lets anybody answer for the index`)
      : undefined,
  'npm pnpm yarn': npm,
  'ssh scp sftp': ssh,
  'apt apt-get': option('packages are installed that nobody signed', '--allow-unauthenticated', '--force-yes'),
  'http https xh': ({ name, args }) =>
    args.some((arg) => /^--verify=(no|false)$/.test(arg))
      ? off(`${name} lets anybody answer for the server`)
      : undefined,
}
