import * as z from 'zod/mini'
import { flag, listOf, optional, packageName, repoPath, required } from '../model/schema-types.ts'
import { joinPath, managerIn } from '../packages/manager-in.ts'
import {
  commandsFor,
  installProblem,
  managerNames,
  managers,
  packagesOf,
  textsOf,
  type Dialect,
} from '../packages/package-managers.ts'
import { missingNames } from '../packages/named-in.ts'
import { withRequirements } from '../packages/requirements.ts'
import { performedBy } from '../model/performed-by.ts'
import type { Performed, SpecOf, Verb, VerbContext } from '../model/verb.ts'

const most = 100

const shape = {
  install: () =>
    required(
      z.union([packageName, listOf(packageName, { least: 1, most })]),
      'Packages of a registry, such as express@^5, as their manager writes them',
    ),
  manager: () =>
    optional(
      z.enum(managerNames),
      'The package manager; default: the one that the directory has a lock file or manifest of',
    ),
  in: () => optional(repoPath, 'The directory of the manifest; default: the top of the repository'),
  dev: () => optional(flag, 'For development only'),
  scripts: () => optional(flag, 'Whether scripts of the packages may run; off unless set'),
}
type Spec = SpecOf<typeof shape>

export const install: Verb<Spec> = {
  name: 'install',
  summary: 'Adds packages with the package manager of a directory.',
  shape,
  risk: 'MEDIUM',
  raises: ({ scripts }) => (scripts === true ? { risk: 'HIGH', reason: 'lets packages run their scripts' } : undefined),
  startsProgram: true,
  installs: (spec) => spec,
  refine(spec) {
    const texts = textsOf(spec)
    if (new Set(texts).size < texts.length) return { key: 'install', message: 'a package is listed twice' }
    // Both dialects of yarn have the same package names.
    return spec.manager === undefined ? undefined : installProblem(spec, spec.manager)
  },
  derive(spec) {
    const [first = '', ...more] = textsOf(spec)
    const name = first.replace(/(?<=.)[@:<>=!~[].*$/, '')
    const others = more.length > 0 ? ` and ${more.length} more` : ''
    return { id: `install-${name}`, title: `Install ${first}${others}${spec.in === undefined ? '' : ` in ${spec.in}`}` }
  },
  paths: ({ in: directory }) => ({ reads: directory === undefined ? [] : [directory], writes: [], deletes: [] }),
  async perform(spec, context) {
    const directory = spec.in ?? ''
    const kind = directory === '' ? 'directory' : await context.tree.kind(directory)
    if (kind !== 'directory')
      return failed(`cannot install in ${directory}: it is ${kind === 'absent' ? 'missing' : 'not a directory'}`)
    const found = await managerIn(directory, spec.manager, context.tree)
    if (!found.ok) return failed(`${found.message}: set \`manager\``)
    const problem = installProblem(spec, found.dialect)
    if (problem !== undefined) return failed(problem.message)
    for (const words of commandsFor(spec, found.dialect)) {
      const performed = performedBy(
        await context.program(words, { directory: spec.in }),
        managers[found.dialect].program,
      )
      if (performed.kind !== 'performed') return performed
    }
    if (found.dialect === 'pip') await writeRequirements(spec, context.tree)
    return verifyManifest(spec, found.dialect, context.tree)
  },
}

const failed = (message: string): Performed => ({ kind: 'failed', reason: 'verb', message })

const manifestOf = (spec: Spec, dialect: Dialect): string =>
  joinPath(spec.in ?? '', managers[dialect].manifest(spec.dev === true))

/** pip does not record in the repository what it installs, so this does. */
async function writeRequirements(spec: Spec, tree: VerbContext['tree']): Promise<void> {
  const path = manifestOf(spec, 'pip')
  const before = (await tree.kind(path)) === 'absent' ? '' : new TextDecoder().decode(await tree.read(path))
  const wanted = packagesOf(spec, 'pip').map(({ name }, index) => ({ name, text: textsOf(spec)[index]! }))
  await tree.write(path, new TextEncoder().encode(withRequirements(before, wanted)))
}

async function verifyManifest(spec: Spec, dialect: Dialect, tree: VerbContext['tree']): Promise<Performed> {
  const { program } = managers[dialect]
  const path = manifestOf(spec, dialect)
  if ((await tree.kind(path)) !== 'file') return failed(`${program} exited with 0, but ${path} does not exist`)
  const wanted = packagesOf(spec, dialect).map(({ name }) => name)
  let missing: string[]
  try {
    missing = await missingNames(dialect, new TextDecoder().decode(await tree.read(path)), wanted, {
      isDev: spec.dev === true,
    })
  } catch {
    return failed(`${program} exited with 0, but ${path} cannot be read`)
  }
  if (missing.length === 0) return { kind: 'performed' }
  const among = spec.dev === true ? ' as development dependencies' : ''
  return failed(`${program} exited with 0, but ${path} does not list ${missing.join(', ')}${among}`)
}
