// What comes from the network into a shell, and what goes to the network.

import { found, type Call, type Check, type Checks, type Found } from '../call.ts'
import { plainPath } from '../fetched.ts'
import { marks, shown } from '../marks.ts'
import { given } from '../options.ts'

const shells = 'sh bash dash zsh ksh ash mksh fish rbash'
const interpreters = 'python python2 python3 node nodejs perl ruby php deno bun lua osascript pwsh tclsh'
const isShell = new Set(shells.split(' '))

const fromNetwork = (by: string): Found => found('shell-network-to-shell', `${by} runs what the network sends`)
const decodedText = (by: string): Found => found('shell-obfuscated', `${by} runs text that is decoded first, which nobody has read`)
const computedText = (by: string): Found => found('shell-obfuscated', `${by} runs what another command prints, which nobody has read`)

/** Nothing of it is written there. */
const unseen = new RegExp(`^[${marks.output}${marks.variable}]+$`, 'u')

/** A shell or an interpreter: of the network, of what is decoded, of what another command makes up. */
const runsText: Check = ({ name, args, input, fetched }: Call) => {
  const { operands, has } = given(args, name.startsWith('py') || !isShell.has(name) ? '-m -W -X -r --require --import' : '-o -O --rcfile --init-file')
  if (args.some((arg) => arg.includes(marks.network))) return fromNetwork(name)
  if (args.some((arg) => arg.includes(marks.decoded))) return decodedText(name)
  const isCommand = args.some((arg) => /^-[a-zA-Z]*[ce]$/.test(arg) || arg === '--eval' || arg === '-p' || (arg === '-m' && !isShell.has(name)))
  if (isShell.has(name) && isCommand && unseen.test(operands[0] ?? '')) return found('shell-obfuscated', `${name} -c runs a script that cannot be seen`)
  const file = operands[0]
  if (!isCommand && file !== undefined && fetched.has(plainPath(file))) return fromNetwork(`${name} ${shown(file)}`)
  const reads = !isCommand && (operands.length === 0 || has('-s') || operands[0] === '-' || operands[0] === '/dev/stdin')
  if (!reads) return undefined
  if (input.from.has('network')) return fromNetwork(name)
  if (input.from.has('decoded')) return decodedText(name)
  return isShell.has(name) && input.text === undefined && input.from.has('command') ? computedText(name) : undefined
}

/** `eval`, `source` and the like: in this very shell. */
const evaluates: Check = ({ name, args, fetched }) => {
  const text = args.join(' ')
  if (text.includes(marks.network)) return fromNetwork(name)
  if (text.includes(marks.decoded)) return decodedText(name)
  if (name !== 'eval') return fetched.has(plainPath(args[0] ?? '')) ? fromNetwork(`${name} ${shown(text)}`) : undefined
  return new RegExp(`[${marks.output}${marks.variable}${marks.some}]`, 'u').test(text)
    ? found('shell-obfuscated', 'eval runs what is not written there')
    : undefined
}

/** A file that was fetched is run by its name. */
export const runsFetched: Check = ({ program, fetched }) => (program !== '' && fetched.has(plainPath(program)) ? fromNetwork(shown(program)) : undefined)

const data = '-d --data --data-binary --data-raw --data-urlencode --data-ascii --json -F --form'
const valued = `${data} -T --upload-file -o --output -H --header -X --request -A -u --user -e -b -c -w --url -m --max-time --retry -K --config`

const sends = (what: string): Found => found('shell-send-data', `${what} to the network`)

const curl: Check = ({ args, input }) => {
  const { values, options } = given(args, valued)
  const texts = values(...data.split(' '))
  const uploads = values('-T', '--upload-file')
  if (uploads.length > 0) return sends(`curl sends ${shown(uploads[0] ?? '')}`)
  const file = texts.find((text) => /^[@<]|=[@<]/.test(text))
  if (file !== undefined && (!/^@-$|=@-$/.test(file) || !input.from.has('nothing'))) return sends(`curl sends ${shown(file)}`)
  if (texts.some((text) => text.includes(marks.output))) return sends('curl sends what another command prints')
  const method = (options.get('-X') ?? options.get('--request') ?? (texts.length > 0 ? 'POST' : 'GET')).toUpperCase()
  return ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? found('shell-external-effect', `curl changes something elsewhere (${method})`) : undefined
}

const wget: Check = ({ args }) => {
  const { options } = given(args, '--post-file --post-data --body-file --body-data --method -O')
  if (options.has('--post-file') || options.has('--body-file'))
    return sends(`wget sends ${shown(options.get('--post-file') ?? options.get('--body-file') ?? '')}`)
  return options.has('--post-data') || /^(post|put|delete|patch)$/i.test(options.get('--method') ?? '')
    ? found('shell-external-effect', 'wget changes something elsewhere')
    : undefined
}

const netcat: Check = ({ name, args, input, targets }) => {
  if (given(args).has('-z')) return undefined
  if (args.some((arg) => /^-[a-zA-Z]*[ec]$/.test(arg) || /^--(sh-)?exec/.test(arg) || /exec:|system:/i.test(arg))) return sends(`${name} gives a shell`)
  return !input.from.has('nothing') || targets.some(({ operator }) => operator === '<') ? sends(`${name} sends what it reads`) : undefined
}

const isRemote = (path: string): boolean => /^([\w.-]+@)?[\w.-]+:(?!\/\/$)/.test(path) || path.startsWith('rsync://')

const copies: Check = ({ name, args }) => {
  const { operands } = given(args, '-i -P -F -o -c -l -S -J -e --rsh --exclude --include --filter')
  const target = operands.at(-1) ?? ''
  return operands.length > 1 && isRemote(target) ? sends(`${name} sends ${shown(operands[0] ?? '')}`) : undefined
}

const ssh: Check = ({ args }) =>
  given(args, '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w').operands.length > 1
    ? found('shell-external-effect', 'ssh runs a command on another machine')
    : undefined

export const network: Checks = {
  [`${shells} ${interpreters}`]: runsText,
  'eval source .': evaluates,
  curl,
  wget,
  'nc ncat netcat socat telnet': netcat,
  'scp rsync': copies,
  'sftp ftp lftp tftp': ({ name, args }) => (args.length > 0 ? sends(`${name} may send files`) : undefined),
  ssh,
  openssl: (call) => (call.args[0] === 's_client' ? netcat(call) : undefined),
}
