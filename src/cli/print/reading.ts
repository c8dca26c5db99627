// What the reading commands print: one file in the build.

export { printList } from './list.ts'
export { printStatus } from './status.ts'
export { printShow } from './show.ts'
export { printLog } from './log.ts'
export { printDiff } from './diff.ts'
export { printAttempts } from './attempts.ts'
export { printReport } from './report.ts'
export { printConfig } from './config.ts'
