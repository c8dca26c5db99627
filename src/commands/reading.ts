// The commands that look at plans: one file in the build.

export { list, listPlans } from './list.ts'
export { status } from './status.ts'
export { show } from './show.ts'
export { log } from './log.ts'
export { diff } from './diff.ts'
export { attempts } from './attempts.ts'
export { report } from './report.ts'
export { config } from './config.ts'
