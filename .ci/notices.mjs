// The licences of what is in the bundle. They ask that their text goes along with every copy.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The directories of the packages of which something is in an output. */
const packagesIn = ({ outputs }, root) => {
  const directories = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      // The last one: a package may have packages of its own.
      const [directory] = /^.*\/?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []
      return directory === undefined || bytesInOutput === 0 ? [] : [resolve(root, directory)]
    }),
  )
  return [...new Set(directories)]
}

const authorOf = ({ author }) => (typeof author === 'string' ? author : author?.name)

function noticeOf(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const name = readdirSync(directory).find((each) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(each))
  const text =
    name === undefined
      ? `Licence: ${manifest.license}${authorOf(manifest) ? `\nCopyright (c) ${authorOf(manifest)}` : ''}`
      : readFileSync(join(directory, name), 'utf8')
  const more = existsSync(join(directory, 'NOTICE')) ? `\n\n${readFileSync(join(directory, 'NOTICE'), 'utf8').trim()}` : ''
  if (manifest.license === undefined && name === undefined) throw new Error(`${manifest.name} is in the bundle and names no licence`)
  return { heading: `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`, text: `${text.trim()}${more}` }
}

export function notices(metafile, root) {
  const rule = '-'.repeat(80)
  const found = packagesIn(metafile, root)
    .map(noticeOf)
    .toSorted((a, b) => (a.heading < b.heading ? -1 : 1))
  const entries = found.map(({ heading, text }) => `${rule}\n${heading}\n${rule}\n\n${text}\n`)
  return `git-plan is bundled with parts of these packages.\n\n${entries.join('\n')}`
}
