// Real plans and configurations to begin with: the templates, those of the documentation, those of the tests.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configTemplate } from '../../src/plan/config/config-template.ts'
import { malformedPlans } from '../helpers/malformed.ts'
import { wholeConfig, wholePlan } from '../helpers/whole-plan.ts'

export interface Seeds {
  readonly plans: readonly string[]
  readonly configs: readonly string[]
}

/** Fenced blocks of a page. */
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/^```(?:markdown|yaml)?\n([\s\S]*?)^```$/gm)].map(([, body]) => body ?? '')

/** `root`: of the repository. */
export function readSeeds(root: string): Seeds {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ].map(read)
  const blocks = pages.flatMap(blocksOf)
  const written = blocks.filter((body) => body.startsWith('---\n'))
  // Parts of plans, put between fences.
  const parts = blocks
    .filter((body) => /^\s*(- |\w+:)/.test(body))
    .map((body) => (body.startsWith('steps:') ? `---\n${body}---\n` : `---\nsteps:\n${body}---\n`))
  const templates = readdirSync(join(root, 'templates')).flatMap((name) =>
    name.endsWith('.md') ? [read(`templates/${name}`)] : [],
  )
  return {
    plans: [wholePlan, ...templates, ...written, ...parts, ...malformedPlans().map(({ text }) => text)],
    configs: [
      wholeConfig,
      configTemplate,
      configTemplate.replaceAll(/^# (?=\s*[-\w]+:|\s*- )/gm, ''),
      ...blocks.filter((body) => /^(version|limits|bases|safety):/m.test(body)),
    ],
  }
}
