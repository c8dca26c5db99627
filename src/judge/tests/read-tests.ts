// Reads the output of a test command in a given format, or in the one that it is in.

import { stripVTControlCharacters } from 'node:util'
import type { TestFormat } from '../../plan/model/test-counts.ts'
import { readCargo } from './cargo.ts'
import { readGo, readGoJson } from './go.ts'
import { readJest } from './jest.ts'
import { readNodeSpec } from './node-spec.ts'
import { readPytest } from './pytest.ts'
import { readTap } from './tap.ts'
import type { ReadTests, TestReading } from './test-report.ts'
import { readVitest } from './vitest.ts'

/** The most specific first: the output of one tool may contain that of another. */
const formats: Readonly<Record<Exclude<TestFormat, 'junit'>, readonly ReadTests[]>> = {
  vitest: [readVitest],
  jest: [readJest],
  node: [readTap, readNodeSpec],
  cargo: [readCargo],
  pytest: [readPytest],
  go: [readGoJson, readGo],
  tap: [readTap],
}

/** No expression here may meet a line of megabytes. */
const maxLine = 8192

export const maxTestOutput = 64 * 1024 * 1024

/** undefined: no test results were found. */
export async function readTests(output: string, format: TestFormat | undefined): Promise<TestReading | undefined> {
  if (format === 'junit') return readJunitText(output)
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.slice(0, maxLine).trimEnd())
  const readers = format === undefined ? Object.values(formats).flat() : formats[format]
  for (const read of readers) {
    const reading = read(lines)
    if (reading !== undefined) return reading
  }
  return format === undefined ? readJunitText(output) : undefined
}

async function readJunitText(text: string): Promise<TestReading | undefined> {
  const { readJunit } = await import('./junit.ts')
  return readJunit(text)
}
