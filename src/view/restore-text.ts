// Autostashed files, and the command that restores them.

import { filesText } from '../git/read/raw-path.ts'
import type { PutAside } from '../store/put-aside.ts'

export const restoreText = (each: PutAside): string =>
  `${filesText(each.files, each.count)}; to restore: ${each.restore}`
