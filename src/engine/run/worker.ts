// Performs steps of a run in a workspace.

import type { Workspace } from '../workspace/workspace.ts'
import type { Run } from './run.ts'

export interface Worker {
  readonly run: Run
  readonly workspace: Workspace
}
