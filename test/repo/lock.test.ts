// The lock at the level of files: what two processes do to each other at its edges.

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { planId } from '../../src/plan/model/ids.ts'
import { acquireLock, readLocks } from '../../src/engine/run/lock.ts'
import { PlanDir } from '../../src/engine/workspace/plan-dir.ts'

test('a claim that the holder of the lock swept away is made again', async () => {
  const top = mkdtempSync(join(tmpdir(), 'git-plan-lock-'))
  const dir = new PlanDir(top, planId('demo'))
  mkdirSync(dir.path, { recursive: true })
  let swept = 0
  const sweeping = (async () => {
    for (; swept < 3; await setImmediate()) {
      for (const name of readdirSync(dir.path).filter((each) => each.startsWith('claim.'))) {
        rmSync(dir.file(name), { force: true })
        swept += 1
      }
    }
  })()
  try {
    const lock = await acquireLock(
      dir,
      { run: 'one', command: 'start', since: '2026-01-02T03:04:05Z' },
      { plan: 'demo' },
    )
    expect((await readLocks(dir)).map(({ holder }) => holder?.run)).toEqual(['one'])
    await lock.release()
    expect(readdirSync(dir.path).filter((name) => /^(lock|claim)/.test(name))).toEqual([])
  } finally {
    swept = 3
    await sweeping
    rmSync(top, { recursive: true })
  }
})
