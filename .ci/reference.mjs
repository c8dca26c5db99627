// Loads the reference from its source, bundled because Node 20 cannot import TypeScript.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

export async function loadReference() {
  // A file instead of a data: URL, which would be in every line of a stack trace.
  const directory = mkdtempSync(join(tmpdir(), 'git-plan-reference-'))
  const outfile = join(directory, 'reference.mjs')
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/adapters/cli/reference/index.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
