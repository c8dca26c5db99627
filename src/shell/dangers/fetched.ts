// Files that a script makes and may run: what is fetched is what the network sent, what is written is a script in a script.

import type { Call } from './call.ts'
import { given } from './options.ts'

/** Files that now hold what the network sent. */
export function fetchedBy({ name, args, targets }: Call): string[] {
  if (!['curl', 'wget', 'aria2c', 'http'].includes(name)) return []
  const { values, has } = given(args, name === 'curl' ? '-o --output -H -X -d -u -A' : '-O --output-document -o --output')
  const named = name === 'curl' ? values('-o', '--output') : values('-O', '--output-document', '-o', '--output')
  const last =
    args
      .find((arg) => /^https?:/.test(arg))
      ?.split('/')
      .at(-1) ?? ''
  const written = targets.filter(({ operator }) => operator.startsWith('>')).map(({ path }) => path)
  return [...named, ...written, ...(name === 'wget' || (name === 'curl' && has('-O', '--remote-name')) ? [last] : [])]
    .filter((each) => each !== '' && each !== '-')
    .map(plainPath)
}

/** Without the `./` in front of it. */
export const plainPath = (path: string): string => path.replace(/^(\.\/)+/, '')

/** Files that now hold what the command puts out. */
export function writtenBy({ name, args, targets }: Call): string[] {
  const redirected = targets.filter(({ operator }) => operator.startsWith('>')).map(({ path }) => path)
  return ['cat', 'echo', 'printf', 'tee'].includes(name) ? [...redirected, ...(name === 'tee' ? given(args).operands : [])].map(plainPath) : []
}

/** The file whose commands a call would run, if it is one. */
export function scriptRunBy({ name, program, args }: Call): string | undefined {
  if (program.includes('/')) return plainPath(program)
  const isShell = /^(ba|da|z|k|a|mk)?sh$|^(source|\.)$/.test(name)
  return isShell && !args.some((arg) => /^-[a-z]*c$/.test(arg)) ? plainPath(given(args, '-o').operands[0] ?? '') : undefined
}
