// Every way in which a repository can make Git run a program: each is set to a program that leaves its own file.

import { appendFileSync, chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestRepo } from './repo.ts'

const hooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout', 'post-rewrite', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman', 'pre-auto-gc', 'pre-push', 'post-merge'] // prettier-ignore
/** Git commands that git plan uses, in case one of them could be an alias. */
const aliases = [
  'status',
  'log',
  'diff-tree',
  'cat-file',
  'for-each-ref',
  'rev-parse',
  'config',
  'commit-tree',
  'update-ref',
  'hook',
  'plan',
]

export class Traps {
  readonly traces: string
  readonly #repo: TestRepo

  /** `without`: settings that are left out, because others only count where they are not. */
  constructor(repo: TestRepo, options: { readonly without?: readonly string[] } = {}) {
    this.#repo = repo
    this.traces = join(repo.home, 'traces')
    mkdirSync(this.traces)
    const hooksPath = join(repo.home, 'hooks')
    mkdirSync(hooksPath)
    for (const hook of hooks)
      for (const directory of [hooksPath, repo.path('.git/hooks')])
        this.#write(join(directory, hook), `hook-${hook}`, '')
    const settings: Record<string, string> = {
      'core.fsmonitor': this.program('fsmonitor'),
      'core.pager': this.program('pager'),
      'pager.log': this.program('pager-log'),
      'pager.diff': this.program('pager-diff'),
      'pager.config': this.program('pager-config'),
      'core.editor': this.program('editor'),
      'sequence.editor': this.program('sequence-editor'),
      'core.hooksPath': hooksPath,
      'core.sshCommand': this.program('ssh'),
      'core.gitProxy': this.program('proxy'),
      'core.askPass': this.program('askpass'),
      'core.alternateRefsCommand': this.program('alternates'),
      'gpg.program': this.program('gpg'),
      'gpg.ssh.program': this.program('gpg-ssh'),
      'gpg.ssh.defaultKeyCommand': this.program('gpg-key'),
      'log.showSignature': 'true',
      'diff.external': this.program('diff-external'),
      'diff.trap.textconv': this.program('textconv'),
      'diff.trap.cachetextconv': 'true',
      'diff.trap.command': this.program('diff-command'),
      'filter.trap.clean': this.program('clean'),
      'filter.trap.smudge': this.program('smudge'),
      'filter.trap.process': this.program('process'),
      'merge.trap.driver': this.program('merge'),
      'merge.default': 'trap',
      'mergetool.trap.cmd': this.program('mergetool'),
      'interactive.diffFilter': this.program('diff-filter'),
      'credential.helper': this.program('credential'),
      'remote.origin.url': `ext::${this.program('ext')}`,
      'remote.origin.uploadpack': this.program('uploadpack'),
      'remote.origin.vcs': 'trap',
      'remote.origin.promisor': 'true',
      'remote.origin.partialclonefilter': 'blob:none',
      'extensions.partialClone': 'origin',
      'protocol.ext.allow': 'always',
      'protocol.allow': 'always',
      [`url.ext::${this.program('instead')}.insteadOf`]: 'https://example.org/x',
      'trailer.x.command': this.program('trailer'),
      'trailer.x.cmd': this.program('trailer-cmd'),
      'uploadpack.packObjectsHook': this.program('pack-objects'),
      'browser.x.cmd': this.program('browser'),
      'man.x.cmd': this.program('man'),
      'gc.auto': '1',
    }
    for (const alias of aliases) settings[`alias.${alias}`] = `!${this.program(`alias-${alias}`)}`
    settings['include.path'] = join(repo.home, 'included')
    // Written at once: a process for each would take longer than the test.
    const lines = Object.entries(settings)
      .filter(([name]) => !(options.without ?? []).includes(name))
      .map(([name, value]) => {
        const [section, key] = [name.slice(0, name.indexOf('.')), name.slice(name.lastIndexOf('.') + 1)]
        const middle = name.slice(section.length + 1, -key.length - 1)
        return `[${section}${middle === '' ? '' : ` ${JSON.stringify(middle)}`}]\n\t${key} = ${JSON.stringify(value)}\n`
      })
    appendFileSync(repo.path('.git/config'), lines.join(''))
    writeFileSync(
      join(repo.home, 'included'),
      `[core]\n\tpager = ${this.program('included-pager')}\n[filter "trap"]\n\tsmudge = ${this.program('included-smudge')}\n`,
    )
    writeFileSync(repo.path('.git/info/attributes'), '* diff=trap filter=trap merge=trap\n')
  }

  /** A program that leaves a trace under this name. */
  program(name: string): string {
    return this.#write(join(this.#repo.home, `trap-${name}`), name, 'cat 2>/dev/null\n')
  }

  /** What ran. */
  sprung(): string[] {
    return readdirSync(this.traces).toSorted()
  }

  #write(path: string, name: string, more: string): string {
    writeFileSync(path, `#!/bin/sh\ntouch '${this.traces}/${name}'\n${more}exit 0\n`)
    chmodSync(path, 0o755)
    return path
  }
}
