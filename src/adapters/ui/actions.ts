// What the page may do: a row for each action, with the options of its command that a request may give. The command
// decides whether it is allowed, as on the command line.

interface Action {
  readonly keys: readonly string[]
  /** It runs steps, so its answer comes when the run has begun. */
  readonly runs?: true
}

/** By command: `POST /api/plans/ID/COMMAND`. */
export const actions: Readonly<Record<string, Action>> = {
  approve: { keys: ['message', 'digest', 'sign', 'files'] },
  reject: { keys: ['message', 'digest'] },
  start: { keys: ['jobs', 'keepGoing', 'failFast', 'worktree', 'autostash', 'skipCheck'], runs: true },
  resume: {
    keys: [
      ...['retry', 'fromAttempt', 'continueSession', 'skip', 'done', 'fix', 'message'],
      ...['jobs', 'keepGoing', 'failFast', 'autostash', 'skipCheck'],
    ],
    runs: true,
  },
  rollback: { keys: ['to', 'all', 'undo', 'keepEffects', 'dryRun', 'message'] },
  replan: { keys: ['text', 'agent', 'model', 'message'] },
  cancel: { keys: ['message'] },
  clone: { keys: ['newId'] },
  finish: { keys: ['mode', 'keepBranch', 'message', 'dryRun'] },
}
