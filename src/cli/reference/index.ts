// What the build asks for.

export { commandsPage } from './commands-page.ts'
export { manualPages, type ManualPage } from './manual-pages.ts'
