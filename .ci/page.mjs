// Builds the page of `git plan ui`. Files have their plain names: nothing of it is cached.
import { build } from 'vite'

/** Returns the directories in node_modules of which something is in it. */
export async function writePage(outdir, root) {
  // Else a build that a test starts is one for developers, with the names of source files.
  process.env.NODE_ENV = 'production'
  const { output } = await build({
    root: `${root}src/adapters/ui/page`,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: outdir,
      emptyOutDir: true,
      target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      // An image in the text of a style would not be from this server.
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: {
          entryFileNames: 'page.js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
        },
      },
    },
    base: '/assets/',
  })
  const modules = output.flatMap((file) => Object.entries(file.modules ?? {}))
  return modules.flatMap(([path, { renderedLength }]) => (renderedLength > 0 ? [path.replace('\0', '')] : []))
}
