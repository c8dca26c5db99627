// Options and variables that turn a check off.

import type { Call, Finding } from '../call.ts'
import { indexRows, judgeRows, type Rows } from '../rows.ts'

const hooks = 'skips the hooks'
const certificate = 'accepts any certificate'

export const checksOff: Rows = {
  'shell-checks-off': [
    ['curl', '-k --insecure --proxy-insecure', certificate],
    ['wget, wget2', '--no-check-certificate', certificate],
    ['http, https, xh', /(^| )--verify=(no|false)( |$)/, certificate],
    ['pip, pip3, uv, python, python3', /(^| )--trusted-host/, certificate],
    ['npm, pnpm, yarn', /strict-?ssl[ =]false|--no-strict-ssl/i, certificate],
    ['ssh, scp, sftp', /stricthostkeychecking[=_]no|userknownhostsfile[=_]\/dev\/null/i, 'does not check the host key'],
    ['apt, apt-get', '--allow-unauthenticated --force-yes', 'installs unsigned packages'],
    ['setenforce', /^(0|permissive)$/i, 'turns SELinux off'],
    ['ufw', 'disable reset', 'turns the firewall off'],
  ],
}

/** Variables set for a program or for later commands, as `NAME=value`. */
const variables = indexRows([
  {
    'shell-checks-off': [
      ['set', /^(HUSKY|LEFTHOOK)=(0|false)$/, hooks],
      ['set', /^(HUSKY_SKIP_HOOKS|PRE_COMMIT_ALLOW_NO_CONFIG)=./, hooks],
      ['set', /^(NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)=0$/, certificate],
      ['set', /^GIT_SSL_NO_VERIFY=(?!(0|false|)$)/, certificate],
      ['set', /^npm_config_strict_ssl=false$/i, certificate],
      ['set', /^(CURL|REQUESTS)_CA_BUNDLE=$/, certificate],
      ['set git, set pre-commit, set export', /^SKIP=./, hooks],
    ],
  },
])

export const judgeVariables = ({ name, env }: Call): Finding[] =>
  [...env].flatMap(([variable, value]) =>
    ['set', `set ${name}`].flatMap((key) => judgeRows(variables.get(key) ?? [], '', [`${variable}=${value}`])),
  )
