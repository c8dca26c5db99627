// Tests if Git ignores a path, with one long-lived `git check-ignore`. It reads the rules of a directory once: close it
// when they may have changed.

import { GitChild, type ParsedAnswer } from '../command/git-child.ts'
import { gitFailure, type GitRunner } from '../command/runner.ts'

export class IgnoreCheck {
  readonly #child: GitChild

  constructor(git: GitRunner) {
    // check-ignore does not support literal pathspecs, and takes paths on stdin literally anyway.
    const call = { env: { GIT_LITERAL_PATHSPECS: '0' } }
    this.#child = new GitChild(git, ['check-ignore', '-z', '--stdin', '--verbose', '--non-matching'], { call })
  }

  async isIgnored(path: string): Promise<boolean> {
    if (path.includes('\0')) throw new Error(`cannot ask about ${JSON.stringify(path)}`)
    return this.#child.ask(`${path}\0`, readAnswer, (end) => gitFailure(['check-ignore'], { code: 128, ...end }))
  }

  close(): void {
    this.#child.close()
  }
}

/** Source, line, pattern and path, each terminated by NUL; the first three are empty if no pattern matches. */
function readAnswer(bytes: Buffer): ParsedAnswer<boolean> {
  const fields: string[] = []
  let at = 0
  while (fields.length < 4) {
    const zero = bytes.indexOf(0, at)
    if (zero < 0) return { needed: 0 }
    fields.push(bytes.toString('latin1', at, zero))
    at = zero + 1
  }
  const [, , pattern = ''] = fields
  return { value: pattern !== '' && !pattern.startsWith('!'), length: at }
}
