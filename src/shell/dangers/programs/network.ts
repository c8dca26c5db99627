// What comes from the network into a shell, and what goes to the network.

import { found, type Call, type Check, type Checks, type Flow, type Found } from '../call.ts'
import { executedBy, interpreters, shells } from '../executed.ts'
import { contentOf } from '../flow.ts'
import { codeOf, sedRuns } from '../inner/code.ts'
import { marks, shown } from '../marks.ts'
import { given } from '../options.ts'

const isShell = new Set(shells.split(' '))

const fromNetwork = (by: string): Found => found('shell-network-to-shell', `${by} runs what the network sends`)
const decodedText = (by: string): Found =>
  found('shell-obfuscated', `${by} runs text that is decoded first, which nobody has read`)
const computedText = (by: string): Found =>
  found('shell-obfuscated', `${by} runs what another command prints, which nobody has read`)

/** Nothing of it is written there. */
const unseen = new RegExp(`^[${marks.output}${marks.variable}${marks.file}]+$`, 'u')

/** About a text that would be run. */
const ofFlow = (by: string, { from }: Flow): Found | undefined =>
  from.has('network') ? fromNetwork(by) : from.has('decoded') ? decodedText(by) : undefined

/** A shell or an interpreter: of the network, of what is decoded, of what another command makes up. */
const runsText: Check = (call: Call) => {
  const { name, args, input } = call
  const { operands, has } = given(
    args,
    isShell.has(name) ? '-o -O --rcfile --init-file' : '-m -W -X -r --require --import',
  )
  if (args.some((arg) => arg.includes(marks.network))) return fromNetwork(name)
  if (args.some((arg) => arg.includes(marks.decoded))) return decodedText(name)
  const isCommand = args.some(
    (arg) => /^-[a-zA-Z]*[ce]$/.test(arg) || arg === '--eval' || arg === '-p' || (arg === '-m' && !isShell.has(name)),
  )
  if (isShell.has(name) && isCommand && unseen.test(operands[0] ?? ''))
    return found('shell-obfuscated', `${name} -c runs a script that cannot be seen`)
  const [file = ''] = ['run', 'x'].includes(operands[0] ?? '') ? operands.slice(1) : operands
  if (!isCommand && /^https?:/.test(file)) return fromNetwork(`${name} ${shown(file)}`)
  if (isCommand) return evaluatesInput(call)
  const reads = file === '' || has('-s') || contentOf(file, call) === input
  if (!reads) return undefined
  return (
    ofFlow(name, input) ??
    (isShell.has(name) && input.text === undefined && input.from.has('command') ? computedText(name) : undefined)
  )
}

const evaluating = /(?<!\.)\b(eval|exec|Function|system|execSync|spawnSync|popen|instance_eval|loadstring|shell_exec)\b/
const fetching =
  /urlopen|requests\.get|httpx\.get|fetch\s*\(|https?\.get\s*\(|URI\.open|Net::HTTP|LWP::|file_get_contents|open-uri|HTTP::Tiny|axios/

/** Code that runs what it reads, from its input or from an address. */
const evaluatesInput: Check = (call) => {
  const code = codeOf(call)
  if (isShell.has(call.name) || !evaluating.test(code)) return undefined
  if (/b64decode|fromhex|unhexlify|\bpack\b|fromCharCode|\batob\(|decode64|base64_decode/.test(code))
    return decodedText(call.name)
  if (fetching.test(code) && /https?:\/\//.test(code)) return fromNetwork(call.name)
  return /stdin|STDIN|\$_|<>|\binput\(|\bgets\b|ARGF|\/dev\/fd\/0|readFileSync\(0/.test(code)
    ? ofFlow(call.name, call.input)
    : undefined
}

/** `{ system($0) }`, `{ print | "sh" }`. */
const awk: Check = ({ name, args, input }) =>
  args.some((arg) => /system\s*\(\s*[^"\s]|\$\d+\s*\|\s*getline/.test(arg)) ? ofFlow(name, input) : undefined
const sed: Check = ({ name, args, input }) => (sedRuns(args).includes('') ? ofFlow(name, input) : undefined)

/** Without a command of their own, these run what they read. */
const readsCommands: Check = ({ name, args, input }) => {
  const { operands, has } = given(args, '-j -N -n --jobs --colsep --delay --timeout')
  return operands.length === 0 || has('-') ? ofFlow(name, input) : undefined
}
const make: Check = ({ name, args, input }) =>
  given(args, '-f --file --makefile')
    .values('-f', '--file', '--makefile')
    .some((file) => file === '-' || file === '/dev/stdin')
    ? ofFlow(name, input)
    : undefined

/** Packages by an address, and not by a name that somebody registered: `npx https://…`, `npx github:a/b`. */
const packages: Check = ({ name, args }) => {
  const words = given(args, '-c --call').operands.filter((word) => !['exec', 'x', 'dlx', 'run', 'tool'].includes(word))
  const isRunner =
    ['npx', 'bunx', 'pnpx', 'uvx'].includes(name) ||
    given(args, '-C --prefix --filter -F --dir -w --workspace')
      .operands.slice(0, 2)
      .some((word) => ['exec', 'x', 'dlx', 'run'].includes(word))
  const sources = [
    ...words.slice(0, 1),
    ...given(args, '-p --package --from --with --spec').values('-p', '--package', '--from', '--with', '--spec'),
  ]
  const isAddress = (word: string): boolean =>
    /^(git\+|git:|https?:|ssh:|(github|gitlab|bitbucket|gist):)/.test(word) ||
    (name === 'npx' && /^[\w-]+\/[\w.-]+(#.*)?$/.test(word))
  return isRunner && sources.some(isAddress)
    ? fromNetwork(`${name} ${shown(sources.find(isAddress) ?? '')}`)
    : undefined
}

/** `eval`, `source` and the like: in this very shell. */
const evaluates: Check = (call) => {
  const { name, args, env } = call
  const text = [...args, ...(name === 'alias' ? env.values() : [])].join(' ')
  if (text.includes(marks.network)) return fromNetwork(name)
  if (text.includes(marks.decoded)) return decodedText(name)
  if (name !== 'eval') return undefined
  return new RegExp(`[${marks.output}${marks.variable}${marks.some}${marks.file}]`, 'u').test(text)
    ? found('shell-obfuscated', 'eval runs what is not written there')
    : undefined
}

/** A file that was fetched or decoded is run, or the text itself is taken for a program. */
export const runsFetched: Check = (call) => {
  if (call.program.startsWith(marks.network)) return fromNetwork('the shell')
  return executedBy(call).map((path) => {
    const content =
      path === ''
        ? undefined
        : path.startsWith('/dev/') || path.startsWith('/proc/')
          ? contentOf(path, call)
          : call.files.holds(path, call.cwd)
    return content === undefined
      ? undefined
      : ofFlow(
          path === call.program ? shown(path) : `${call.name} ${path.startsWith('/dev/fd/') ? '<(…)' : shown(path)}`,
          content,
        )
  })
}

const data = '-d --data --data-binary --data-raw --data-urlencode --data-ascii --json -F --form'
const valued = `${data} -T --upload-file -o --output -H --header -X --request -A -u --user -e -b -c -w --url -m --max-time --retry -K --config`

const sends = (what: string): Found => found('shell-send-data', `${what} to the network`)

/** What a file holds, in an address, a header or a name: the one who answers reads it. */
const tells: Check = ({ name, args }) => {
  const told = args.find((arg) => arg.includes(marks.file))
  return told === undefined ? undefined : sends(`${name} sends what a file holds (${shown(told)})`)
}

const curl: Check = (call) => {
  const { args, input } = call
  const { values, options } = given(args, valued)
  const texts = values(...data.split(' '))
  const uploads = values('-T', '--upload-file')
  if (uploads.length > 0) return sends(`curl sends ${shown(uploads[0] ?? '')}`)
  const file = texts.find((text) => /^[@<]|=[@<]/.test(text))
  if (file !== undefined && (!/^@-$|=@-$/.test(file) || !input.from.has('nothing')))
    return sends(`curl sends ${shown(file)}`)
  if (texts.some((text) => text.includes(marks.output))) return sends('curl sends what another command prints')
  const told = tells(call)
  if (told !== undefined) return told
  const method = (options.get('-X') ?? options.get('--request') ?? (texts.length > 0 ? 'POST' : 'GET')).toUpperCase()
  return ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
    ? found('shell-external-effect', `curl changes something elsewhere (${method})`)
    : undefined
}

const wget: Check = (call) => {
  const { args } = call
  const { options } = given(args, '--post-file --post-data --body-file --body-data --method -O')
  if (options.has('--post-file') || options.has('--body-file'))
    return sends(`wget sends ${shown(options.get('--post-file') ?? options.get('--body-file') ?? '')}`)
  const told = tells(call)
  if (told !== undefined) return told
  return options.has('--post-data') || /^(post|put|delete|patch)$/i.test(options.get('--method') ?? '')
    ? found('shell-external-effect', 'wget changes something elsewhere')
    : undefined
}

const netcat: Check = ({ name, args, input, targets }) => {
  if (given(args).has('-z')) return undefined
  if (args.some((arg) => /^-[a-zA-Z]*[ec]$/.test(arg) || /^--(sh-)?exec/.test(arg) || /exec:|system:/i.test(arg)))
    return sends(`${name} gives a shell`)
  return !input.from.has('nothing') || targets.some(({ operator }) => operator === '<')
    ? sends(`${name} sends what it reads`)
    : undefined
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
  'awk gawk mawk nawk': awk,
  'sed gsed': sed,
  'parallel rush batch': readsCommands,
  'make gmake bmake': make,
  'npx bunx pnpx uvx pipx uv npm pnpm yarn bun': packages,
  'http https xh': ({ name, input }) =>
    input.from.has('file') || input.from.has('secret') ? sends(`${name} sends what it reads`) : undefined,
  'http https xh aria2c lynx w3m dig nslookup host drill ping wget2 telnet ssh whois': tells,
  'eval source . trap alias': evaluates,
  curl,
  wget,
  'nc ncat netcat socat telnet': netcat,
  'scp rsync': copies,
  'sftp ftp lftp tftp': ({ name, args }) => (args.length > 0 ? sends(`${name} may send files`) : undefined),
  ssh,
  openssl: (call) => (call.args[0] === 's_client' ? netcat(call) : undefined),
}
