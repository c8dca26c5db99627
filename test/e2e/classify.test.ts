// `git plan classify`, as it is typed: outside of any repository, and with answers for people and for programs.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bin } from '../helpers/repo.ts'

const place = mkdtempSync(join(tmpdir(), 'git-plan-classify-'))
afterAll(() => rmSync(place, { recursive: true }))

const classify = (args: readonly string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'classify', ...args], {
    cwd: place,
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('one command', () => {
  test('that only reads: READ, with exit code 0', () => {
    expect(classify(['sort a.txt | uniq -c'])).toEqual({
      status: 0,
      stdout: 'READ: sort, uniq only read\n',
      stderr: '',
    })
  })

  test('whose risk as a step is higher all the same: the answer says why', () => {
    expect(classify(['cd x && cat y']).stdout).toBe(
      'READ: cd, cat only read; as a step its risk is HIGH: it does not begin with a program that is known to read\n',
    )
    expect(classify(['cat /etc/passwd']).stdout).toMatch(
      /^READ: cat only reads; as a step its risk is MEDIUM: it may read outside the repository: /,
    )
    expect(JSON.parse(classify(['--json', 'cat y']).stdout)).toMatchObject({ class: 'READ', risk: 'LOW' })
  })

  test('that may write: WRITE, with exit code 1, and nothing has run', () => {
    expect(classify(['ls; touch pwned'])).toEqual({
      status: 1,
      stdout: 'WRITE: touch may write\n',
      stderr: '',
    })
    expect(readdirSync(place)).toEqual([])
  })

  test('in several words is a program and its arguments, and no word of them is shell', () => {
    expect(classify(['--', 'git', 'log', '--oneline', '-5']).stdout).toBe('READ: git only reads\n')
    expect(classify(['--', 'echo', ';', 'touch pwned', '> x', '$(touch pwned)', "it's"]).stdout).toMatch(
      /^READ: echo only reads;/,
    )
    expect(classify(['--', 'sort', '-o', 'x', 'a.txt']).stdout).toBe('WRITE: sort: -o may write\n')
    expect(classify(['--', 'rm -rf x', 'y']).status).toBe(1)
  })

  test('as JSON: class and reason', () => {
    const { status, stdout } = classify(['--json', 'ls > x'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      kind: 'classify',
      class: 'WRITE',
      reason: '> x writes a file',
    })
  })

  test('with characters that a terminal obeys is shown without them', () => {
    const { stdout } = classify(["'a\u001B[2Jb'"])
    expect(stdout).toBe('WRITE: the command contains the character U+001B\n')
  })

  test('that is not there is refused, and so is one too many', () => {
    for (const args of [[], ['--'], ['--stdin', 'ls']]) {
      const { status, stderr } = classify(args)
      expect(status).toBe(2)
      expect(stderr).toContain('git plan classify')
    }
  })
})

describe('one command a line', () => {
  const input = `${['ls', 'ls\ntouch x', 'git status'].map((each) => JSON.stringify(each)).join('\n')}\nls\n{}\n\n`

  test('has one answer a line, in order; what is no JSON string is WRITE', () => {
    const { status, stdout } = classify(['--stdin'], input)
    expect(status).toBe(0)
    const wrong = 'WRITE: the line is not a JSON string'
    expect(stdout.split('\n')).toEqual([
      'READ: ls only reads',
      'WRITE: touch may write',
      'READ: git only reads',
      wrong,
      wrong,
      wrong,
      '',
    ])
  })

  test('as JSON: one object a line', () => {
    const lines = classify(['--stdin', '--json'], input).stdout.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { class: string }).class)).toEqual([
      'READ',
      'WRITE',
      'READ',
      'WRITE',
      'WRITE',
      'WRITE',
    ])
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      schemaVersion: 1,
      kind: 'classify',
      class: 'READ',
      reason: 'ls only reads',
      risk: 'LOW',
    })
  })

  test('without any line has no answer', () => {
    expect(classify(['--stdin'])).toMatchObject({ status: 0, stdout: '' })
    expect(classify(['--stdin', '--json'])).toMatchObject({ status: 0, stdout: '' })
  })

  test('a thousand of them have as many answers', () => {
    const { stdout } = classify(['--stdin'], `${JSON.stringify('cat a.txt | sort | uniq -c')}\n`.repeat(1000))
    expect(stdout.split('\n')).toHaveLength(1001)
  })
})
