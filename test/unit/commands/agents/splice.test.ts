// Entries in files of the user: what is added is removed again, byte for byte, whatever the file looks like.

import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { insertBlock, readBlock, removeBlock } from '../../../../src/commands/agents/setup/splice-block.ts'
import {
  insertEntry,
  newFile,
  readEntries,
  removeEntries,
  replaceEntry,
  type JsonEntry,
} from '../../../../src/commands/agents/setup/splice-json.ts'

const hook = { matcher: '*', hooks: [{ type: 'command', command: 'git plan guard --agent claude', timeout: 10 }] }
const entry: JsonEntry = { path: ['hooks', 'PreToolUse'], isElement: true, value: hook }
const server: JsonEntry = { path: ['mcpServers', 'git-plan'], value: { command: 'git', args: ['plan', 'mcp'] } }
const isOurs = (value: unknown): boolean => (JSON.stringify(value) ?? '').includes('git plan guard')
const isServer = (value: unknown): boolean => (JSON.stringify(value) ?? '').includes('"mcp"')

const inserted = (text: string, what = entry): string => {
  const spliced = insertEntry(text, what)
  if ('problem' in spliced) throw new Error(spliced.problem)
  return spliced.text
}
const removed = (text: string, what: JsonEntry = entry, ours = isOurs): string | undefined => {
  const left = removeEntries(text, what, ours)
  if ('problem' in left) throw new Error(left.problem)
  return left.text
}
const meaning = (text: string): unknown => parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })

const files: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'an empty object with a blank': '{ }\n',
  'an empty object over two lines': '{\n}\n',
  'one line': '{"model": "opus", "env": {"A": "1"}}',
  'several lines': '{\n  "model": "opus",\n  "env": {\n    "A": "1"\n  }\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
  'four blanks, no line break at the end': '{\n    "model": "opus"\n}',
  'line ends of Windows': '{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "PreToolUse": []\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "model": "opus"\n}\n',
  comments:
    '// mine\n{\n  // the model\n  "model": "opus", // good\n  "hooks": { /* none, yet */ }\n  // that is all\n}\n',
  'a comment after the last value': '{\n  "a": 1 // one, two\n}\n',
  'trailing commas': '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "x", "hooks": []},\n    ],\n  },\n}\n',
  'hooks of others': `{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [{ "type": "command", "command": "./check.sh" }]\n      }\n    ]\n  }\n}\n`,
  'a list that is empty': '{"hooks": {"PreToolUse": []}}',
  'a list that is empty over lines': '{"hooks": {"PreToolUse": [\n\n]}}',
  'the last bracket on the last line': '{\n  "a": 1}',
  'odd blanks': '  {  "a"  :1  ,  "b":[ 1,2 ]   }  \n\n',
  'letters of all kinds': '{\n  "ключ": "значение 🦄",\n  "\\u0061": "\\n"\n}\n',
}

describe.each(Object.entries(files))('%s', (_, text) => {
  test.each([
    ['a list element', entry, isOurs],
    ['a property', server, isServer],
  ] as const)('%s: added and removed, the bytes are the same', (__, what, ours) => {
    const installed = inserted(text, what)
    const found = readEntries(installed, what.path, what.isElement === true)
    expect(found).toMatchObject({ values: expect.arrayContaining([what.value]) as unknown })
    expect(removed(installed, what, ours)).toBe(text)
  })

  test('nothing else changes its meaning', () => {
    const before = meaning(text) as { hooks?: { PreToolUse?: unknown[] } }
    const after = meaning(inserted(inserted(text), server)) as typeof before & { mcpServers?: unknown }
    expect(after.hooks?.PreToolUse?.at(-1)).toEqual(hook)
    const rest = { ...after, hooks: { ...after.hooks, PreToolUse: after.hooks?.PreToolUse?.slice(0, -1) } }
    expect(rest).toEqual({
      ...before,
      hooks: { ...before.hooks, PreToolUse: before.hooks?.PreToolUse ?? [] },
      mcpServers: { 'git-plan': server.value },
    })
  })

  test('both, removed in either order', () => {
    const both = inserted(inserted(text), server)
    expect(removed(removed(both)!, server, isServer)).toBe(text)
    expect(removed(removed(both, server, isServer)!)).toBe(text)
  })

  test('replaced, and removed', () => {
    const changed = replaceEntry(inserted(text), { ...entry, value: { ...hook, matcher: 'Bash' } }, isOurs)
    if ('problem' in changed) throw new Error(changed.problem)
    expect(readEntries(changed.text, entry.path, true)).toMatchObject({
      values: expect.arrayContaining([{ ...hook, matcher: 'Bash' }]) as unknown,
    })
    expect(removed(changed.text)).toBe(text)
  })
})

test('a file with nothing but our entries is new, and is removed as a whole', () => {
  const text = newFile([entry, server])
  expect(JSON.parse(text)).toEqual({ hooks: { PreToolUse: [hook] }, mcpServers: { 'git-plan': server.value } })
  expect(removed(newFile([entry]))).toBeUndefined()
  const without = removed(text)!
  expect(JSON.parse(without)).toEqual({ mcpServers: { 'git-plan': server.value } })
  expect(removed(without, server, isServer)).toBeUndefined()
})

test('what was added after ours stays, and so does what was added in our lists', () => {
  const installed = inserted('{\n  "model": "opus"\n}\n')
  const theirs = installed
    .replace('\n    ]\n', ',\n      { "matcher": "Edit" }\n    ]\n')
    .replace('\n}\n', ',\n  "theme": "dark"\n}\n')
  expect(meaning(theirs)).toMatchObject({ theme: 'dark' })
  expect(meaning(removed(theirs)!)).toEqual({
    model: 'opus',
    hooks: { PreToolUse: [{ matcher: 'Edit' }] },
    theme: 'dark',
  })
})

test('all of ours are removed, however many there are', () => {
  expect(removed(inserted(inserted('{"a": 1}')))).toBe('{"a": 1}')
})

test.each([
  ['', 'not valid JSON'],
  ['{"a": }', 'not valid JSON (line 1)'],
  ['{\n"a": 1\n"b": 2}', 'line 3'],
  ['[]', 'does not contain a JSON object'],
  ['"x"', 'does not contain a JSON object'],
  ['{"hooks": []}', 'hooks is not an object'],
  ['{"hooks": {"PreToolUse": {}}}', 'hooks.PreToolUse is not a list'],
  ['{"hooks": 7}', 'hooks is not an object'],
  ['{"hooks": {}, "hooks": {}}', 'hooks is there twice'],
  ['<<<<<<< HEAD\n{}\n', 'not valid JSON'],
])('%j is left alone', (text, problem) => {
  expect(insertEntry(text, entry)).toMatchObject({ problem: expect.stringContaining(problem) as string })
})

test('any JSON, however it is written: added and removed, the bytes are the same', () => {
  const space = fc.constantFrom('', ' ', '\n', '\n\t', '\r\n  ', ' /* c */ ', ' // c\n')
  const texts = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('1', '"x, }"', 'true', 'null', '"// no comment"'),
      fc
        .tuple(fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }), space)
        .map(([items, end]) => `[${items.map((item) => item.join('')).join(',')}${end}]`),
      fc
        .tuple(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }), fc.infiniteStream(tie('value')), space)
        .map(
          ([keys, values, blank]) =>
            `{${keys.map((key) => `${blank}"${key}":${values.next().value}`).join(',')}${blank}}`,
        ),
    ),
  })).value
  const file = fc
    .tuple(
      fc.array(fc.tuple(space, texts), { maxLength: 4 }),
      space,
      space,
      fc.boolean(),
      fc.constantFrom('', '\n', '\r\n'),
    )
    .map(([members, head, end, hasHooks, last]) => {
      const all = members.map(([blank, value], at) => `${blank}"k${at}":${value}`)
      if (hasHooks) all.push(`${end}"hooks":{${head}"PreToolUse":[${head}]${head}}`)
      return `${head}{${all.join(',')}${end}}${last}`
    })
  fc.assert(
    fc.property(file, (text) => {
      const installed = inserted(inserted(text), server)
      expect(meaning(installed)).toMatchObject({ mcpServers: { 'git-plan': server.value } })
      expect(removed(removed(installed)!, server, isServer)).toBe(text)
      expect(removed(removed(installed, server, isServer)!)).toBe(text)
    }),
    { numRuns: 500 },
  )
})

describe('a block of lines', () => {
  const block = '[mcp_servers.git-plan]\ncommand = "git"\n'

  test.each(['', 'a = 1\n', 'a = 1', 'a = 1\n\n\n', 'a = 1\r\n[b]\r\nc = 2\r\n', '\uFEFFa = 1\n', '# only a comment'])(
    '%j: added and removed, the bytes are the same',
    (text) => {
      const installed = insertBlock(text, block)
      expect(readBlock(installed)).toBe(block)
      expect(installed.includes('\r\n')).toBe(text.includes('\r\n'))
      expect(insertBlock(installed, block)).toBe(installed)
      expect(removeBlock(installed)).toBe(text)
    },
  )

  test('text after it stays', () => {
    expect(removeBlock(`${insertBlock('a = 1\n', block)}[theirs]\n`)).toBe('a = 1\n[theirs]\n')
    expect(readBlock('a = 1\n')).toBeUndefined()
  })
})
