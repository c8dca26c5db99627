// Each .txt here is a conversation, and must come out as it is written. To record them again: npm test -- -u
// test/scripts

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '../helpers/repo.ts'
import { replay } from '../helpers/transcript.ts'

const scripts = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt'))

test.concurrent.for(scripts)('%s', async (script, { expect, repo }) => {
  const file = join(import.meta.dirname, script)
  // All of them are tried by npm run test:suggestions.
  const options = script === 'propose-and-approve.txt' ? { tries: true } : {}
  await expect(await replay(readFileSync(file, 'utf8'), repo, options)).toMatchFileSnapshot(file)
})
