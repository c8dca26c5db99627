// What is installed on this machine parses: headers of C and C++, sources in packages, style sheets. A wrong alarm
// would stop a plan.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { syntaxProblems } from '../../src/judge/syntax/syntax.ts'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Not more of them than can be read in a minute, spread evenly over all that there are. */
function sourcesIn(directory: string, extension: RegExp, most: number): string[] {
  const found = existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && extension.test(entry.name),
      )
    : []
  const step = Math.max(1, found.length / most)
  return Array.from({ length: Math.ceil(found.length / step) }, (_, index) => found[Math.floor(index * step)]!).map(
    ({ parentPath, name }) => join(parentPath, name),
  )
}

test.each([
  ['/usr/include', /\.(h|hpp|hh|hxx|tcc)$/, 2000],
  [packages, /\.(c|h|cc|cpp|hpp)$/, 500],
  [packages, /\.css$/, 500],
  ['/usr/share', /\.css$/, 500],
])('%s, %s', { timeout: 300_000 }, async (directory, extension, most) => {
  const paths = sourcesIn(directory, extension, most)
  const alarms: string[] = []
  for (const path of paths) {
    const text = readFileSync(path, 'utf8')
    const [first] = text.includes('\uFFFD') ? [] : await syntaxProblems(path, text)
    if (first !== undefined) alarms.push(`${path}:${first.line}:${first.column}: ${first.message}`)
  }
  // One in a thousand, since some of what is installed is indeed broken.
  expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(Math.ceil(paths.length / 1000))
})
