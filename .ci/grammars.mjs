// Writes the grammars of src/judge/syntax and the search of src/judge/refactor beside the bundle: only those in use, and compressed, since they are tables
// that shrink to an eleventh of their size.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { transform } from 'esbuild'

/** The highest quality takes ten times as long and saves a tenth. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }

/** The table of grammars in the source, which Node 20 cannot import as TypeScript. */
async function grammarFiles(root) {
  const { code } = await transform(readFileSync(join(root, 'src/judge/syntax/grammar-files.ts'), 'utf8'), {
    loader: 'ts',
    format: 'esm',
  })
  const { grammarFiles, engineFile, searchFile } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return [engineFile, searchFile, ...Object.values(grammarFiles)]
}

/** Returns the packages that the grammars come from. */
export async function writeGrammars(directory, root) {
  mkdirSync(directory, { recursive: true })
  const files = await grammarFiles(root)
  await Promise.all(
    files.map(async (file) => {
      const wasm = readFileSync(join(root, 'node_modules', file))
      writeFileSync(join(directory, `${basename(file)}.br`), await promisify(brotliCompress)(wasm, { params }))
    }),
  )
  return [...new Set(files.map((file) => /^(@[^/]+\/)?[^/]+/.exec(file)[0]))]
}
