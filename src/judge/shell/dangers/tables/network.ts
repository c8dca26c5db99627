// Data from the network into a shell, and from files to the network.

import { baseName, finding, readArguments, type Call, type Finding, type Source } from '../call.ts'
import { shells } from '../inner.ts'
import { excerpt, isUnknownExpansion, unknown } from '../marks.ts'
import { sourceOfFile, sourceOfText, substitution } from '../outputs.ts'
import type { Rows } from '../rows.ts'

const address = String.raw`(git\+|git:|https?:|ssh:|(github|gitlab|bitbucket|gist):)`
const data = '(^| )(-d|--data\\S*?|--json|-F|--form)[ =]?'
/** Output of a command that prints files or the environment, except about a version. */
const contents = substitution(String.raw`(?:cat|base64|grep|head|tail|tar|env|printenv)(?=[\s_)])|<`).source
const printed = new RegExp(`^(?!.*(version|nvmrc|revision|checksum|jq_)).*${contents}`, 'iu')
const runs = 'runs code from the network'
const sends = 'sends a file to the network'
const effect = 'changes something elsewhere'

export const networkRows: Rows = {
  'shell-network-to-shell': [
    ['npx, bunx, pnpx, uvx', new RegExp(`^(-\\S+ )*((-p|--package|--from|--with)[ =])?${address}`), runs],
    ['npx', /^(-\S+ )*[\w-]+\/[\w.-]+(#\S*)?( |$)/, runs],
    ['npm, pnpm, yarn, bun, uv, pipx, deno', new RegExp(`^((exec|x|dlx|run) )?(-\\S+ )*${address}`), runs],
  ],
  'shell-send-data': [
    ['curl', '-T --upload-file', sends],
    ['curl', new RegExp(`${data}(\\S*=)?[@<]`), sends],
    ['curl', new RegExp(`${data}\\S*${unknown}\\(`, 'u'), 'sends the output of a command to the network'],
    ['curl, wget, http, https, xh, ssh, ping, dig, nslookup, host', printed, sends],
    ['wget, wget2', /(^| )--(post|body)-file/, sends],
    ['scp, rsync', /(^| )[^-\s]\S* (\S+@)?[\w.-]+:(?!\/\/)\S*$/, 'sends files to another machine'],
    ['sftp, ftp, lftp, tftp', /./, 'can send files to another machine'],
    ['nc, ncat, netcat', /(^| )-\w*[ec]( |$)|--(sh-)?exec/, 'gives a shell to the network'],
    ['socat', /(exec|system):/i, 'gives a shell to the network'],
  ],
  'shell-external-effect': [
    ['curl', /(^| )(-X|--request)[ =]?(POST|PUT|PATCH|DELETE)\b/i, effect],
    ['curl', '-d --data --data-binary --data-raw --data-urlencode --json -F --form', effect],
    ['wget', /--post-data|--method[ =](post|put|delete|patch)/i, effect],
    ['ssh', /^(-[bcDEFIiJLlmOopRSWw] \S+ |-([^bcDEFIiJLlmOopRSWw\s]|\S\S+) )*[^-\s]\S* \S/, 'changes another machine'],
  ],
}

function judgeSource(by: string, source: Source | undefined): Finding | undefined {
  if (source === 'network') return finding('shell-network-to-shell', `${by} ${runs}`)
  return source === 'decoded'
    ? finding('shell-obfuscated', `${by} runs decoded text that no reviewer can read`)
    : undefined
}

const hidden = (by: string): Finding => finding('shell-obfuscated', `${by} runs text that is not in the command`)
const isInput = (path: string): boolean => /^(|-|\/dev\/stdin|\/(dev|proc\/self)\/fd\/0)$/.test(path)
const interpreters = /^(python[23]?|node|nodejs|perl|ruby|php|deno|bun|lua|Rscript|tsx|ts-node|osascript|pwsh)$/

/** A shell or interpreter, judged by its script. */
function judgeScript({ name, args, input, fetched }: Call): Finding | undefined {
  const isShell = shells.test(name)
  const usage = isShell ? '-o= -O= --rcfile=' : '-W= -X= -r= --require= --import='
  const { operands, has } = readArguments(args, usage, 'first')
  const [first = ''] = operands[0] === 'run' ? operands.slice(1) : operands
  const inText = args.map(sourceOfText).find((source) => source !== 'command')
  if (inText !== undefined) return judgeSource(name, inText)
  if (has('-c', '-e', '-m', '-p', '--eval'))
    return isShell && isUnknownExpansion(first) ? hidden(`${name} -c`) : undefined
  if (!isInput(first) && !has('-s')) return judgeSource(`${name} ${excerpt(first)}`, fetched.get(baseName(first)))
  return isShell && input.source === 'command' && input.text === undefined
    ? hidden(name)
    : judgeSource(name, input.source)
}

/** `eval`, `source` and the like, which run in the current shell. */
function judgeEvaluation({ name, args, env, input, fetched }: Call): Finding | undefined {
  const [first = ''] = args
  const text = [...args, ...env.values()].join(' ')
  if (name === 'source' || name === '.')
    return judgeSource(name, isInput(first) ? input.source : sourceOfFile(first, fetched))
  const isUnknown = name === 'eval' && text.includes(unknown)
  return (
    judgeSource(name, sourceOfText(text)) ?? (isUnknown ? (judgeSource(name, input.source) ?? hidden(name)) : undefined)
  )
}

/** Rules that depend on the input of a program, or on the code that it runs. */
export function judgeNetwork(call: Call): readonly (Finding | undefined)[] {
  const { name, program, args, input, fetched } = call
  const isClient =
    /^(nc|ncat|netcat|socat|telnet|http|https|xh)$/.test(name) || (name === 'openssl' && args[0] === 's_client')
  const isSent = isClient && !args.includes('-z') && input.source !== 'nothing'
  const isRun = name === 'xargs' ? args.some((arg) => shells.test(arg)) : /^(parallel|make)$/.test(name)
  return [
    shells.test(name) || interpreters.test(name) ? judgeScript(call) : undefined,
    /^(eval|source|\.|trap|alias)$/.test(name) ? judgeEvaluation(call) : undefined,
    isSent ? finding('shell-send-data', `${name} sends its input to the network`) : undefined,
    isRun ? judgeSource(name, input.source) : undefined,
    // The program is a fetched file, or fetched text is taken for a program name.
    program.includes('/') ? judgeSource(excerpt(program), fetched.get(baseName(program))) : undefined,
    program.startsWith(unknown) ? judgeSource('the shell', sourceOfText(program)) : undefined,
  ]
}
