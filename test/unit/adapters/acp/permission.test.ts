import { describe, expect, test } from 'vitest'
import { answerPermission, readScope } from '../../../../src/adapters/acp/permission.ts'

const root = '/home/ada/hello'
const options = [
  { optionId: 'a', kind: 'allow_always' },
  { optionId: 'y', kind: 'allow_once' },
  { optionId: 'n', kind: 'reject_once' },
]
const answer = (toolCall: object, scope: { files?: readonly string[] | null; tools?: readonly string[] } = {}) =>
  answerPermission({ toolCall, options }, readScope(JSON.stringify({ files: null, tools: [], ...scope })), root)
const edit = (path: string) => ({ kind: 'edit', title: `Write ${path}`, locations: [{ path }] })

describe('an agent that asks for permission', () => {
  test.each([
    [edit(`${root}/src/a.ts`), { files: ['src/**'] }],
    [edit('src/a.ts'), { files: ['src/**'] }],
    [edit(`${root}/anything.txt`), {}],
    [{ kind: 'edit', content: [{ type: 'diff', path: `${root}/src/a.ts` }] }, { files: ['src/**'] }],
    [{ ...edit('src/a.ts'), rawInput: { file_path: `${root}/src/a.ts`, content: '/etc' } }, { files: ['src/**'] }],
    [{ kind: 'read', locations: [{ path: '/etc/hosts' }] }, { files: [] }],
    [{ kind: 'execute', rawInput: { command: 'npm test' } }, { tools: ['execute'] }],
  ])('may: %j, %j', (call, scope) => {
    expect(answer(call, scope)).toEqual({ outcome: { outcome: 'selected', optionId: 'y' }, denied: undefined })
  })

  test.each([
    [edit(`${root}/other.ts`), { files: ['src/**'] }],
    [edit(`${root}/../elsewhere.txt`), {}],
    [edit('/etc/passwd'), {}],
    [edit(root), {}],
    [edit(`${root}/.git/hooks/pre-commit`), {}],
    [edit(`${root}/.claude/settings.json`), { files: ['**'] }],
    [edit(`${root}/.plans/p.md`), {}],
    [{ ...edit('src/a.ts'), rawInput: { file_path: '/etc/passwd', content: 'x' } }, { files: ['src/**'] }],
    [{ ...edit('src/a.ts'), rawInput: { edits: [{ path: `${root}/other.ts` }] } }, { files: ['src/**'] }],
    [{ kind: 'move', locations: [{ path: 'src/a.ts' }], rawInput: { to: 'b.ts' } }, { files: ['src/**'] }],
    [edit(`${root}/pkg/.mcp.json`), {}],
    [{ kind: 'edit', locations: [] }, {}],
    [{ kind: 'edit', locations: [{ path: `${root}/src/a.ts` }, { path: `${root}/b.ts` }] }, { files: ['src/**'] }],
    [{ kind: 'execute', rawInput: { command: 'ls' } }, {}],
    [{ kind: 'fetch' }, {}],
    [{ kind: 'switch_mode' }, {}],
    [{}, {}],
  ])('may not: %j, %j', (call, scope) => {
    const { outcome, denied } = answer(call, scope)
    expect(outcome).toEqual({ outcome: 'selected', optionId: 'n' })
    expect(denied).toBeTypeOf('string')
  })

  test('is never allowed for good, and is cancelled where it offers no other answer', () => {
    const call = { toolCall: edit('a.txt'), options: [{ optionId: 'a', kind: 'allow_always' }] }
    expect(answerPermission(call, readScope('{"files":null}'), root)).toMatchObject({
      outcome: { outcome: 'cancelled' },
      denied: 'Write a.txt',
    })
  })

  test.each([undefined, '', '[]', '{"files": 3'])('may edit nothing in a scope that cannot be read: %j', (text) => {
    expect(answerPermission({ toolCall: edit('a.txt'), options }, readScope(text), root).denied).toBe('Write a.txt')
  })
})
