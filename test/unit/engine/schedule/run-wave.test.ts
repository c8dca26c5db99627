// The result of an earlier run is used only if its step may still run.

import { expect, test } from 'vitest'
import type { Result } from '../../../../src/engine/pool/results.ts'
import type { Run } from '../../../../src/engine/run/run.ts'
import { runWave, type WaveOptions } from '../../../../src/engine/schedule/run-wave.ts'
import { Slots } from '../../../../src/engine/schedule/slots.ts'
import type { StepId } from '../../../../src/plan/model/ids.ts'
import type { Step } from '../../../../src/plan/model/plan.ts'

const step = { id: 'one' as StepId, uses: [] as readonly string[] } as Step
const run = { world: { signal: new AbortController().signal } } as unknown as Run
const options = (permit: WaveOptions['permit']): WaveOptions =>
  ({
    slots: new Slots(2),
    results: new Map([[step.id, { step: step.id } as Result]]),
    failFast: false,
    continuesAfter: () => false,
    permit,
  }) as unknown as WaveOptions

test('a waiting result is used if the step is permitted, and refused with the step', async () => {
  const asked: string[] = []
  const outcomes = await runWave(
    run,
    [step],
    options(async ({ id }) => void asked.push(id)),
  )
  expect(asked).toEqual(['one'])
  expect(outcomes.get(step.id)).toMatchObject({ kind: 'ran' })
  const withdrawn = options(async () => {
    throw new Error('the approval was withdrawn')
  })
  await expect(runWave(run, [step], withdrawn)).rejects.toThrow('withdrawn')
})
