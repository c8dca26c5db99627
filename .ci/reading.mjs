// The commands that are typed most often, as a program of their own. esbuild cuts the code at every `import()`, and again
// wherever two of them share something: with all commands, `git plan status` would load fifty files.
import { relative, resolve } from 'node:path'

const commands = ['list', 'status', 'show', 'log']

/** The first words of the command lines that it is for; empty: none. */
export const readingWords = ['', ...commands, '-h', '--help', '--version']

/** These commands and their printers are one file. Left out is whatever else commands and adapters load on demand, such as other commands and prompts. */
export const readingOnly = (root) => {
  const files = commands.flatMap((name) => [`src/commands/inspect/${name}.ts`, `src/adapters/cli/print/${name}.ts`])
  return {
    name: 'reading-only',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /.*/ }, ({ kind, path, importer, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined
        const [target, source] = [resolve(resolveDir, path), importer].map((file) => relative(root, file))
        if (files.includes(target)) return { path: 'reading', namespace: 'together' }
        return target.startsWith('src/commands/') || source.startsWith('src/adapters/') ? { path, external: true } : undefined
      })
      onLoad({ filter: /.*/, namespace: 'together' }, () => ({ contents: files.map((file) => `export * from './${file}'`).join('\n'), resolveDir: root }))
    },
  }
}
