// What is loaded first: it has to be small, because only what comes after it can be in the cache.

import { keepCompiled } from './keep-compiled.ts'

keepCompiled({ env: process.env })
void import('./process.ts')
