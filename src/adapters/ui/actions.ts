// What the page may do: a row for each action, with the options of its command that a request may give. The command
// decides whether it is allowed, as on the command line.

interface Action {
  readonly keys: readonly string[]
  /** It runs steps, so its answer comes when the run has begun. */
  readonly runs?: true
}

/** Of a run. */
const ofRun = ['jobs', 'keepGoing', 'failFast', 'autostash', 'skipCheck']

/** By command: `POST /api/plans/ID/COMMAND`. */
export const actions: Readonly<Record<string, Action>> = {
  approve: { keys: ['message', 'digest', 'sign', 'files'] },
  reject: { keys: ['message', 'digest'] },
  start: { keys: [...ofRun, 'worktree'], runs: true },
  resume: {
    keys: [...ofRun, 'retry', 'fromAttempt', 'continueSession', 'skip', 'done', 'fix', 'message'],
    runs: true,
  },
  rollback: { keys: ['to', 'all', 'undo', 'keepEffects', 'dryRun', 'message'] },
  replan: { keys: ['text', 'agent', 'model', 'message'] },
  cancel: { keys: ['message'] },
  clone: { keys: ['newId'] },
  finish: { keys: ['mode', 'keepBranch', 'message', 'dryRun'] },
}
