// What the built program finds in files that were broken: npm run syntax:mutants -- DIRECTORY... Of C and C++, in files that gcc takes by themselves; one token less, at random.
// With --each N at most N files of a language are broken, spread evenly over all that were found; what gcc still takes is not counted.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const dist = process.env.GIT_PLAN_DIST ?? fileURLToPath(new URL('../dist', import.meta.url))
const { syntaxProblems } = createRequire(import.meta.url)(join(dist, 'chunks/syntax.cjs'))
const { values, positionals } = parseArgs({ allowPositionals: true, options: { each: { type: 'string', default: '100' } } })

/** Comments, strings and directives are matched so that nothing in them is. */
const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|^[ \t]*#(?:\\\n|[^\n])*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*|\.?\d[\w.]*|[-+*/%&|^=!<>]=|->|\+\+|--|&&|\|\||<<|>>|::|[^\s\w]/gm
const isToken = (text) => !/^(\/[/*]|[ \t]*#)/.test(text)
const kinds = {
  ';': (text) => text === ';',
  '{ }': (text) => text === '{' || text === '}',
  '( )': (text) => text === '(' || text === ')',
  ',': (text) => text === ',',
  operator: (text) => /^([-+/%|^=<>!]|[-+*/%&|^=!<>]=|->|&&|\|\||<<)$/.test(text),
  any: isToken,
}

// The same in each run.
let seed = 1
const random = (below) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((seed / 2_147_483_648) * below)
}

const takes = (language, text, folder) =>
  spawnSync('gcc', ['-fsyntax-only', '-w', '-fmax-errors=1', '-x', language, '-I', folder, '-'], { input: text, timeout: 20_000 }).status === 0

const rows = []
for (const [language, extension] of [
  ['c', /\.c$/],
  ['c++', /\.(cc|cpp|cxx)$/],
]) {
  const paths = positionals
    .flatMap((directory) => readdirSync(directory, { recursive: true }).map((path) => join(directory, String(path))))
    .filter((path) => extension.test(path) && statSync(path).isFile() && statSync(path).size < 50_000)
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { broken: 0, found: 0 }]))
  let files = 0
  for (let index = 0; index < paths.length && files < Number(values.each); index += Math.max(1, Math.floor(paths.length / (Number(values.each) * 8)))) {
    const [path, text] = [paths[index], readFileSync(paths[index], 'utf8')]
    if (text.includes('\uFFFD') || !takes(language, text, dirname(path)) || (await syntaxProblems(path, text)).length > 0) continue
    files += 1
    const tokens = [...text.matchAll(token)].filter(([found]) => isToken(found))
    for (const [kind, isKind] of Object.entries(kinds)) {
      const candidates = tokens.filter(([found]) => isKind(found))
      if (candidates.length === 0) continue
      const { 0: found, index: at } = candidates[random(candidates.length)]
      const broken = `${text.slice(0, at)} ${text.slice(at + found.length)}`
      if (takes(language, broken, dirname(path))) continue
      counts[kind].broken += 1
      if ((await syntaxProblems(path, broken)).length > 0) counts[kind].found += 1
    }
  }
  for (const [without, { broken, found }] of Object.entries(counts))
    rows.push({ language, files, without, broken, found, 'of a hundred': Math.round((100 * found) / broken) })
}
console.table(rows)
