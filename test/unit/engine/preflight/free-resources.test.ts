import { expect, test } from 'vitest'
import { diskProblem, memoryProblem, memoryWarning } from '../../../../src/engine/preflight/free-resources.ts'
import { readPlan } from '../../../../src/plan/file/read-plan.ts'

const megabytes = (count: number): number => count * 1024 * 1024

test('a full disk is reported with the directory, also if only the work tree is on it', () => {
  const free = (directory: string): number => megabytes(directory === '/full' ? 20 : 500)
  expect(diskProblem(['/a', '/full'], free)).toBe('only 20 MB of disk space are free in /full')
  expect(diskProblem(['/a', '/b'], free)).toBeUndefined()
  expect(diskProblem([process.cwd()])).toBeUndefined()
})

test('a run needs some memory', () => {
  expect(memoryProblem(megabytes(10))).toBe('only 10 MB of memory are available')
  expect(memoryProblem(megabytes(100))).toBeUndefined()
  expect(memoryProblem()).toBeUndefined()
})

test('a step that may use more memory than there is gets a warning, unless it is done', () => {
  const text = (state: string): Uint8Array =>
    Buffer.from(`---\nsteps:\n  - {id: big, run: make, limits: {memory: 2gb}}\n${state}---\n`)
  const plan = (state: string) => {
    const read = readPlan(text(state), { file: 'p.md' })
    if (!read.ok) throw new Error(JSON.stringify(read.findings))
    return read.plan
  }
  expect(memoryWarning(plan(''), megabytes(1000))).toBe('big may use 2048 MB of memory, and 1000 MB are available')
  expect(memoryWarning(plan(''), megabytes(4000))).toBeUndefined()
  expect(memoryWarning(plan('status: active\nstate: {big: done}\n'), megabytes(1000))).toBeUndefined()
})
