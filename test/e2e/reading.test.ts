// Looking runs nothing: a repository whose configuration is full of programs, each of which would leave a trace.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** Everything through which a repository can make git run a program; each leaves a file of its own in `traces`. */
function setTraps(repo: TestRepo, traces: string): void {
  const trap = (name: string): string => {
    const path = join(repo.home, `trap-${name}`)
    writeFileSync(path, `#!/bin/sh\ntouch '${traces}/${name}'\ncat 2>/dev/null\nexit 0\n`)
    chmodSync(path, 0o755)
    return path
  }
  const hooks = join(repo.home, 'hooks')
  mkdirSync(hooks)
  for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman', 'pre-auto-gc']) {
    for (const directory of [hooks, repo.path('.git/hooks')]) {
      writeFileSync(join(directory, hook), `#!/bin/sh\ntouch '${traces}/hook-${hook}'\n`)
      chmodSync(join(directory, hook), 0o755)
    }
  }
  const settings: Record<string, string> = {
    'core.fsmonitor': trap('fsmonitor'),
    'core.pager': trap('pager'),
    'pager.log': trap('pager-log'),
    'pager.diff': trap('pager-diff'),
    'core.editor': trap('editor'),
    'sequence.editor': trap('sequence-editor'),
    'core.hooksPath': hooks,
    'core.sshCommand': trap('ssh'),
    'core.askPass': trap('askpass'),
    'core.alternateRefsCommand': trap('alternates'),
    'gpg.program': trap('gpg'),
    'gpg.ssh.program': trap('gpg-ssh'),
    'log.showSignature': 'true',
    'diff.external': trap('diff-external'),
    'diff.trap.textconv': trap('textconv'),
    'diff.trap.command': trap('diff-command'),
    'filter.trap.clean': trap('clean'),
    'filter.trap.smudge': trap('smudge'),
    'filter.trap.process': trap('process'),
    'merge.trap.driver': trap('merge'),
    'interactive.diffFilter': trap('diff-filter'),
    'credential.helper': trap('credential'),
    'remote.origin.url': `ext::${trap('ext')}`,
    'remote.origin.uploadpack': trap('uploadpack'),
    'remote.origin.promisor': 'true',
    'remote.origin.partialclonefilter': 'blob:none',
    'extensions.partialClone': 'origin',
    'protocol.ext.allow': 'always',
    'protocol.allow': 'always',
    'trailer.x.command': trap('trailer'),
    'uploadpack.packObjectsHook': trap('pack-objects'),
    'browser.x.cmd': trap('browser'),
    'gc.auto': '1',
  }
  for (const alias of ['status', 'log', 'diff-tree', 'cat-file', 'for-each-ref', 'rev-parse', 'config'])
    settings[`alias.${alias}`] = `!${trap(`alias-${alias}`)}`
  for (const [name, value] of Object.entries(settings)) repo.git(['config', name, value])
  writeFileSync(join(repo.home, 'included'), `[core]\n\tpager = ${trap('included-pager')}\n`)
  repo.git(['config', 'include.path', join(repo.home, 'included')])
  writeFileSync(repo.path('.git/info/attributes'), '* diff=trap filter=trap merge=trap\n')
}

test('list, status, show, log, diff, attempts, report, check, config, schema, doctor and completion run nothing', async ({ repo }) => {
  repo.write('.plans/p.md', planText('  - {id: one, run: echo 1 >> a.txt}\n  - {id: two, run: echo printed; echo half > half.txt; exit 1}'))
  repo.write('new.md', planText('  - {id: one, run: "true"}'))
  repo.commit('Plan files')
  expect(await repo.plan(['start', '.plans/p.md', '--approve'])).toMatchObject({ code: 1 })
  const traces = join(repo.home, 'traces')
  mkdirSync(traces)
  setTraps(repo, traces)
  // Files that git would have to look at again, and an index that it would like to refresh.
  repo.write('a.txt', 'edited\n')
  const state = (): string[] => [
    execFileSync('sha256sum', [repo.path('.git/index'), repo.path('.git/HEAD')], { encoding: 'utf8' }),
    readdirSync(repo.path('.git/objects')).join(' '),
  ]
  const before = state()
  const commands: [string[], number][] = [
    [['list'], 0],
    [['status'], 0],
    [['show', 'p'], 0],
    [['show', 'p', '--graph'], 0],
    [['log', 'p'], 0],
    [['log', 'p', '--output', 'two'], 0],
    [['diff', 'p'], 0],
    [['diff', 'one'], 0],
    [['attempts', 'p'], 0],
    [['attempts', 'p', '--show', 'two'], 0],
    [['report', 'p'], 0],
    [['check', 'p'], 0],
    [['check', 'new.md'], 0],
    [['config'], 0],
    [['schema'], 0],
    [['doctor'], 0],
    [['--complete', 'zsh', '2', '--', 'git-plan', 'show', ''], 0],
    [['--complete', 'zsh', '3', '--', 'git-plan', 'log', '--output', ''], 0],
  ]
  for (const [args, code] of commands) {
    const ran = await repo.plan(args, {
      env: {
        GIT_PAGER: join(repo.home, 'trap-pager'),
        PAGER: join(repo.home, 'trap-pager'),
        EDITOR: join(repo.home, 'trap-editor'),
        GIT_EXTERNAL_DIFF: join(repo.home, 'trap-diff-external'),
        GIT_SSH_COMMAND: join(repo.home, 'trap-ssh'),
      },
    })
    expect(ran.code, `${args.join(' ')}: ${ran.all}`).toBe(code)
    expect(readdirSync(traces), args.join(' ')).toEqual([])
  }
  expect(state()).toEqual(before)
  // The traps do work: git itself steps into them.
  execFileSync('git', ['-c', 'core.fsmonitor=', 'diff'], { cwd: repo.dir, env: repo.env, stdio: 'ignore' })
  expect(existsSync(join(traces, 'diff-command')) || existsSync(join(traces, 'clean')) || existsSync(join(traces, 'process'))).toBe(true)
  rmSync(traces, { recursive: true })
})
