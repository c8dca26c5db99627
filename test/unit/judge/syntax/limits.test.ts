// What is left alone, what is told apart, and what must not hang.

import { describe, expect, test } from 'vitest'
import { bracketProblems } from '../../../../src/judge/syntax/brackets.ts'
import { withinTime } from '../../../../src/plan/text/within-time.ts'
import { grammarFiles, type GrammarName } from '../../../../src/judge/syntax/grammar-files.ts'
import { withTree } from '../../../../src/judge/syntax/grammars.ts'
import { languages } from '../../../../src/judge/syntax/languages.ts'
import { syntaxProblems } from '../../../../src/judge/syntax/syntax.ts'
import { isWide } from '../../../helpers/wide.ts'

const conflict = 'a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n'
const extensions: Readonly<Record<string, string>> = {
  typescript: 'ts',
  javascript: 'js',
  python: 'py',
  rust: 'rs',
  ruby: 'rb',
  shell: 'sh',
}
const nameIn = (language: string): string => `a.${extensions[language] ?? language}`
const messages = async (path: string, text: string): Promise<string[]> =>
  (await syntaxProblems(path, text)).map(({ line, column, message }) => `${line}:${column} ${message}`)

describe('a merge conflict', () => {
  test.each(languages)('is a problem in %s', async (language) => {
    const text = language === 'php' ? `<?php\n${conflict}` : conflict
    expect(await messages(nameIn(language), text)).toEqual([`${language === 'php' ? 3 : 2}:1 a merge conflict marker`])
  })

  test('is one in a template, and each of several is named', async () => {
    expect(await messages('a.html', `{{ a }}\n${conflict}${conflict}`)).toEqual([
      '3:1 a merge conflict marker',
      '9:1 a merge conflict marker',
    ])
  })

  test.each([
    ['a.sh', `cat <<END\n${conflict}END\n`],
    ['a.ts', `const text = \`\n${conflict}\`\n`],
    ['a.py', `text = """\n${conflict}"""\n`],
    ['a.c', `/*\n${conflict}*/\n`],
    ['a.md', conflict],
  ])('is none in a string, a here-document, a comment or an unknown language: %s', async (path, text) => {
    expect(await syntaxProblems(path, text)).toEqual([])
  })

  test.each(['a:\n=======\n', '>>>>>>> a\n'])('is more than one of its lines: %j', async (text) => {
    expect(await messages('a.css', text)).not.toContainEqual(expect.stringContaining('conflict'))
  })
})

describe('templates', () => {
  test.each([
    ['a.yaml', 'a: {{ .Values.b }}\n{{- if .c }}\n b: [\n{{- end }}\n'],
    ['a.html', '<div {% if a %}class="b{% endif %}>\n'],
    ['a.html', '<p {{attributes}}>'],
    ['a.js', 'const a = {% if b %}1{% endif %}\n'],
    ['a.py', 'class {{ name }}:\n    pass\n'],
    ['a.json', '{ "a": {{ b }} }'],
    ['a.rb', 'class <%= name %>\nend\n'],
  ])('nothing is said of %s: %j', async (path, text) => {
    expect(await syntaxProblems(path, text)).toEqual([])
  })

  test('an object in JSX makes none', async () => {
    expect(await messages('a.tsx', 'const a = <p style={{ a: 1 }} b={c\n')).toHaveLength(1)
  })
})

test.each([
  ['a.js', '// @flow\nconst a: number = 1\nopaque type A = string\n'],
  ['a.ts', '<?xml version="1.0"?>\n<!DOCTYPE TS>\n'],
  ['a.sh', '#compdef a\n_a() { ${(f)b} ( }\n'],
  ['a.py', 'x = (\0'],
  ['a.txt', '('],
  ['a.js', `(${' '.repeat(1024 * 1024)}`],
  ['a.js', `(${'é'.repeat(600 * 1024)}`],
])('%s is left alone: %.40j', async (path, text) => {
  expect(await syntaxProblems(path, text)).toEqual([])
})

test('at most five problems are named', async () => {
  expect(await syntaxProblems('a.c', '('.repeat(50))).toHaveLength(5)
  expect(await syntaxProblems('a.ts', 'a = 1 b = 2\n'.repeat(50))).toHaveLength(5)
})

test('a place is counted in lines and columns from 1', async () => {
  expect(await messages('a.json', '{\r\n  "é😀": ?\r\n}')).toEqual(['2:10 unexpected `?`'])
  expect(await messages('a.py', 'é = "😀" + )\n')).toEqual(['1:12 unexpected `)`'])
  expect(await messages('a.ts', '\uFEFFlet é = "😀" + )\n')).toEqual(['1:16 unexpected `)`'])
})

test('what counts of C is what is compiled first', () => {
  expect(bracketProblems('c', '#if A\n{\n#elif B\n{\n#else\n{\n#endif\n}\n')).toEqual([])
  expect(bracketProblems('c', '#if 0\n{ isn\'t "\n#else\n{\n#endif\n}\n')).toEqual([])
  expect(bracketProblems('c', '#ifdef A\n# if B\n(\n# else\n((\n# endif\n#else\n(((\n#endif\n)')).toEqual([])
  expect(bracketProblems('c', '#if A\n{\n#endif\n')).toEqual([{ line: 2, column: 1, message: '`{` is never closed' }])
})

describe('a text that was made to keep a parser busy', () => {
  const megabyte = 1024 * 1024
  const hostile = ['(', '"\'`', '{%', '/*', 'R"(', '- ', 'a<b<'].map((part) =>
    part.repeat(Math.floor(megabyte / part.length)),
  )

  // Those that take longest: npm run test:wide.
  test.each(isWide ? ['ts', 'jsonc', 'yaml', 'c', 'css', 'sh', 'html', 'py'] : ['ts', 'jsonc'])(
    '.%s is read or given up',
    { timeout: 120_000 },
    async (extension) => {
      for (const text of hostile) expect((await syntaxProblems(`a.${extension}`, text)).length).toBeLessThanOrEqual(5)
    },
  )

  test('and others are judged as before', async () => {
    expect(await messages('a.ts', 'let a = ;')).toEqual(['1:9 unexpected `;`'])
    expect(await messages('a.yaml', 'a: [')).toHaveLength(1)
  })
})

test('what does not end is stopped, and what is thrown is thrown', () => {
  expect(
    withinTime(50, () => {
      for (;;);
    }),
  ).toBeUndefined()
  const deep = (): number => deep() + 1
  expect(withinTime(1000, deep)).toBeUndefined()
  expect(withinTime(1000, () => 'in time')).toBe('in time')
  expect(() =>
    withinTime(1000, () => {
      throw new TypeError('a bug')
    }),
  ).toThrow('a bug')
})

test('a grammar that cannot be loaded is named, and asked for again', async () => {
  const files = grammarFiles as Record<string, string>
  const judged = (): Promise<boolean | undefined> =>
    withTree('other' as GrammarName, '<p>a</p>', 2000, ({ rootNode }) => rootNode.hasError)
  try {
    files['other'] = 'missing/other.wasm'
    await expect(judged()).rejects.toThrow(/^the grammar of other cannot be loaded: ENOENT/)
    files['other'] = 'web-tree-sitter/package.json'
    await expect(judged()).rejects.toThrow(/^the grammar of other cannot be loaded: /)
    files['other'] = grammarFiles.html
    expect(await judged()).toBe(false)
  } finally {
    delete files['other']
  }
})
