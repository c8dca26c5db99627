// Writes the type declarations of the library to `dist/types`: those reachable from `src/index.ts` and no others. Not
// part of the build: it takes seconds.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(process.env.GIT_PLAN_DIST ?? join(root, 'dist'), 'types')
const emitted = mkdtempSync(join(tmpdir(), 'git-plan-types-'))
process.on('exit', () => rmSync(emitted, { recursive: true, force: true }))

const flags = [
  '--noEmit',
  'false',
  '--declaration',
  '--emitDeclarationOnly',
  '--rootDir',
  join(root, 'src'),
  '--outDir',
  emitted,
]
const tsc = join(root, 'node_modules', '.bin', 'tsc')
try {
  execFileSync(tsc, ['-p', join(root, '.ci', 'tsconfig.types.json'), ...flags], { cwd: root, stdio: 'inherit' })
} catch {
  process.exit(1)
}

// Not a type such as `'from' | 'to'`.
const specifier = /(?<=(?<!['"])\b(?:from|import)\s*\(?\s*)(['"])([^'"]+)\1/g
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '')

rmSync(out, { recursive: true, force: true })
/** Files to copy, each with the import path that leads to it. */
const queue = [['index.d.ts']]
const seen = new Set()
for (const way of queue) {
  const path = way.at(-1)
  if (seen.has(path)) continue
  seen.add(path)
  const text = readFileSync(join(emitted, path), 'utf8')
  for (const [, , name] of withoutComments(text).matchAll(specifier)) {
    if (name.startsWith('.')) {
      const next = relative(emitted, join(emitted, dirname(path), name)).replace(/\.ts$/, '.d.ts')
      if (!existsSync(join(emitted, next))) throw new Error(`${path} leads to ${name}, which has no declarations`)
      queue.push([...way, next])
    } else if (!name.startsWith('node:')) {
      // Bundled packages are not installed where the library is used, so their types would not resolve there.
      console.error(
        `the public types lead to the package ${name}: ${way.join(' → ')}. Write the type that is exported as a plain one.`,
      )
      process.exit(1)
    }
  }
  mkdirSync(dirname(join(out, path)), { recursive: true })
  // Users need not allow imports that end in .ts.
  writeFileSync(
    join(out, path),
    text.replace(
      specifier,
      (_, quote, name) => `${quote}${name.startsWith('.') ? name.replace(/\.ts$/, '.js') : name}${quote}`,
    ),
  )
}
