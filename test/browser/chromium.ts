// The browser of the system: playwright-core downloads none.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export function chromiumPath(): string {
  const given = process.env['CHROMIUM']
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  const found =
    given ?? names.flatMap((name) => directories.map((each) => join(each, name))).find((path) => existsSync(path))
  if (found === undefined || !existsSync(found))
    throw new Error('these tests need Chromium; to install it: apt-get install chromium (or set CHROMIUM to its path)')
  return found
}
