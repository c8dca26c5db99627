// Words of other programs for the keys of a step.

import type { Synonyms } from '../text/nearest.ts'

const words: Readonly<Record<string, string>> = {
  run: 'shell sh bash cmd command exec execute script',
  create: 'write file touch add new',
  edit: 'modify change update sed',
  patch: 'apply git_apply',
  delete: 'rm remove unlink',
  move: 'mv rename',
  install: 'package packages dependency dependencies',
  manual: 'todo human hand',
  gate: 'ask confirm question decision approve approval',
  title: 'name description summary',
  needs: 'depends depends_on after',
  verify: 'check checks assert expect',
  undo: 'revert rollback compensate',
  env: 'environment',
}

export const stepSynonyms: Synonyms = new Map(
  Object.entries(words).flatMap(([key, others]) => others.split(' ').map((other) => [other, key] as const)),
)
