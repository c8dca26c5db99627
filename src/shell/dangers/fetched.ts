// Files that a script fetches: running one of them runs what the network sent.

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
