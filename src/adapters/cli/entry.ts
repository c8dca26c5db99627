#!/usr/bin/env node
// Loaded first, and small: only modules that are imported after the cache is enabled can be in it.

import nodeModule from 'node:module'
import { isAbsolute, join } from 'node:path'

/**
 * Node 22.8 and later cache compiled code. The cache is in the user's own cache directory: Node's default is the
 * temporary directory, where somebody else could place code that we would run.
 */
function enableCompileCache(): void {
  const { XDG_CACHE_HOME: cache = '', HOME: home = '' } = process.env
  const directory = isAbsolute(cache) ? cache : join(home, '.cache')
  const { enableCompileCache: enable } = nodeModule as { enableCompileCache?: (directory: string) => unknown }
  if (isAbsolute(directory)) enable?.(join(directory, 'git-plan'))
}

enableCompileCache()
void import('./process.ts')
