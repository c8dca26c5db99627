// The words of other tools for the state of a step. A word that is not in the table is unknown, never done.

import type { ImportedState } from './format.ts'

const words: Readonly<Record<string, ImportedState>> = {
  pending: 'pending',
  'to do': 'pending',
  todo: 'pending',
  open: 'pending',
  draft: 'pending',
  ready: 'pending',
  'not started': 'pending',
  deferred: 'pending',
  blocked: 'pending',
  backlog: 'pending',
  done: 'done',
  complete: 'done',
  completed: 'done',
  success: 'done',
  closed: 'done',
  implemented: 'done',
  failed: 'failed',
  failure: 'failed',
  error: 'failed',
  timeout: 'failed',
  'in progress': 'unknown',
  started: 'unknown',
  executing: 'unknown',
  running: 'unknown',
  doing: 'unknown',
  review: 'unknown',
  'in review': 'unknown',
  stalled: 'unknown',
  cancelled: 'dropped',
  canceled: 'dropped',
  skipped: 'dropped',
  rejected: 'dropped',
  obsolete: 'dropped',
  "won't do": 'dropped',
  'wont do': 'dropped',
}

/** undefined: nobody knows the word. */
export const stateOf = (word: string): ImportedState | undefined =>
  words[
    word
      .trim()
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/[\s_-]+/g, ' ')
  ]
