// Runs the syntax checks of the built program on valid files: npm run syntax:corpus -- DIRECTORY... Every line is a
// false alarm, or a broken file. With --each N at most N files per language are read, spread evenly over all files
// found.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const dist = process.env.GIT_PLAN_DIST ?? fileURLToPath(new URL('../dist', import.meta.url))
const { languageOf, syntaxProblems } = await import(pathToFileURL(join(dist, 'chunks/syntax.mjs')).href)
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { each: { type: 'string', default: '1000' } },
})

const found = new Map()
for (const directory of positionals)
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || statSync(path).size > 1024 * 1024) continue
    const language =
      languageOf(path) ??
      (/\./.test(entry.name) ? undefined : languageOf(path, readFileSync(path, 'latin1').slice(0, 200)))
    if (language !== undefined) (found.get(language) ?? found.set(language, []).get(language)).push(path)
  }

const rows = []
for (const [language, paths] of [...found].toSorted(([one], [other]) => one.localeCompare(other))) {
  const step = Math.max(1, paths.length / Number(values.each))
  let [files, alarms, slowest] = [0, 0, 0]
  for (let index = 0; index < paths.length; index += step) {
    const path = paths[Math.floor(index)]
    const text = readFileSync(path, 'utf8')
    if (text.includes('\uFFFD')) continue
    files += 1
    const begin = performance.now()
    const [first] = await syntaxProblems(path, text)
    slowest = Math.max(slowest, performance.now() - begin)
    if (first === undefined) continue
    alarms += 1
    console.log(`${path}:${first.line}:${first.column}: ${first.message}`)
  }
  rows.push({
    language,
    files,
    alarms,
    'of a hundred': Number(((100 * alarms) / files).toFixed(2)),
    'slowest ms': Math.round(slowest),
  })
}
console.table(rows)
