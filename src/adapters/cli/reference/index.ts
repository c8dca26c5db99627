// The entry point of the build.

export { commandsPage } from './commands-page.ts'
export { manualPages, type ManualPage } from './manual-pages.ts'
export { withSum } from '../../../commands/utilities/hooks/scripts.ts'
