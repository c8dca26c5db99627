// Collects the licences of bundled packages, which must accompany every copy.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Directories of the packages whose code is in an output. */
const packagesIn = ({ outputs }, root) => {
  const directories = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      // The last node_modules: a package may have nested packages.
      const [directory] = /^.*\/?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []
      return directory === undefined || bytesInOutput === 0 ? [] : [resolve(root, directory)]
    }),
  )
  return [...new Set(directories)]
}

const authorOf = ({ author, collaborators }) =>
  typeof author === 'string' ? author : (author?.name ?? collaborators?.join(', '))

function noticeOf(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const name = readdirSync(directory).find((each) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(each))
  const text =
    name === undefined
      ? `Licence: ${manifest.license}${authorOf(manifest) ? `\nCopyright (c) ${authorOf(manifest)}` : ''}`
      : readFileSync(join(directory, name), 'utf8')
  const more = existsSync(join(directory, 'NOTICE'))
    ? `\n\n${readFileSync(join(directory, 'NOTICE'), 'utf8').trim()}`
    : ''
  if (manifest.license === undefined && name === undefined)
    throw new Error(`${manifest.name} is in the bundle and names no licence`)
  const authors = compiledIn[manifest.name]
  const compiled = authors === undefined ? '' : `\n\nIt holds, under the same licence:\n${authors.join('\n')}`
  const copied = copiedInto[manifest.name] ?? ''
  return {
    heading: `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`,
    text: `${text.trim()}${more}${compiled}${copied}`,
  }
}

/**
 * Authors of the grammars that this package contains compiled; it does not name them. All are under its own licence,
 * MIT.
 */
const compiledIn = {
  '@vscode/tree-sitter-wasm': [
    'tree-sitter-python: Copyright (c) 2016 Max Brunsfeld',
    'tree-sitter-go: Copyright (c) 2014 Max Brunsfeld',
    'tree-sitter-rust: Copyright (c) 2017 Maxim Sokolov',
    'tree-sitter-java: Copyright (c) 2017 Ayman Nadeem',
    'tree-sitter-ruby: Copyright (c) 2016 Rob Rix',
    'tree-sitter-javascript: Copyright (c) 2014 Max Brunsfeld',
    'tree-sitter-typescript: Copyright (c) 2017 Max Brunsfeld',
    'tree-sitter-tsx: Copyright (c) 2017 Max Brunsfeld',
    'tree-sitter-css: Copyright (c) 2018 Max Brunsfeld',
    'tree-sitter-php: Copyright (c) 2017 Josh Vera, GitHub; 2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White',
  ],
}

/** Packages that a package has copied into its own files, under another licence. */
const copiedInto = {
  '@modelcontextprotocol/server': `

It holds content-type, under the MIT licence:

Copyright (c) 2015 Douglas Christopher Wilson

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
}

/** Names of the packages that these files belong to, each once. */
export const packageNames = (paths) => [
  ...new Set(paths.flatMap((path) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])),
]

/** `others`: names of packages whose files are beside the bundle. */
export function notices(metafile, root, others = []) {
  const rule = '-'.repeat(80)
  const directories = [...packagesIn(metafile, root), ...others.map((name) => join(root, 'node_modules', name))].map(
    (each) => resolve(each),
  )
  const found = [...new Set(directories)].map(noticeOf).toSorted((a, b) => (a.heading < b.heading ? -1 : 1))
  const entries = found.map(({ heading, text }) => `${rule}\n${heading}\n${rule}\n\n${text}\n`)
  return `git-plan is bundled with parts of these packages.\n\n${entries.join('\n')}`
}
