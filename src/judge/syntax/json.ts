// JSON, and JSON with comments and trailing commas. JSON.parse decides for the former, but not every Node version
// reports the position, so it is searched here.

import { problemAt, unexpected, type SyntaxProblem } from './problem.ts'

/** One alternative matches at every position; the last is for invalid text. */
const token =
  /(?<space>[ \t\r\n]+)|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<value>"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})|\u007f|[\u0080-\u009f])*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|(?<sign>[{}[\],:])|(?<other>[\s\S])/uy

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

const missing: Readonly<Record<Expected, string | undefined>> = {
  value: undefined,
  'value or ]': undefined,
  key: undefined,
  'key or }': undefined,
  ':': '`:` is missing',
  ', or ]': '`,` or `]` is missing',
  ', or }': '`,` or `}` is missing',
  end: undefined,
}

/** The first position that is not valid JSON. */
function findProblem(text: string, isLenient: boolean): SyntaxProblem | undefined {
  const open: { readonly sign: '{' | '['; readonly offset: number }[] = []
  let expected: Expected = 'value'
  const afterValue = (): Expected => (open.length === 0 ? 'end' : open.at(-1)?.sign === '{' ? ', or }' : ', or ]')
  let offset = 0
  while (offset < text.length) {
    token.lastIndex = offset
    const { groups, 0: found } = token.exec(text)!
    if (groups?.['space'] === undefined && !(isLenient && groups?.['comment'] !== undefined)) {
      const isValue: boolean = expected === 'value' || expected === 'value or ]'
      const isKey: boolean = expected === 'key' || expected === 'key or }'
      if (groups?.['value'] !== undefined && (isValue || (isKey && found.startsWith('"'))))
        expected = isKey ? ':' : afterValue()
      else if ((found === '{' || found === '[') && isValue) {
        open.push({ sign: found, offset })
        expected = found === '{' ? 'key or }' : 'value or ]'
      } else if (found === ':' && expected === ':') expected = 'value'
      else if (found === ',' && expected === ', or ]') expected = isLenient ? 'value or ]' : 'value'
      else if (found === ',' && expected === ', or }') expected = isLenient ? 'key or }' : 'key'
      else if ((found === '}' && expected.endsWith('}')) || (found === ']' && expected.endsWith(']'))) {
        open.pop()
        expected = afterValue()
      } else return problemAt(text, offset, describeProblem(text, offset, expected))
    }
    offset += found.length
  }
  const last = open.at(-1)
  if (last !== undefined) return problemAt(text, last.offset, `\`${last.sign}\` is never closed`)
  return expected === 'end' ? undefined : problemAt(text, text.trimEnd().length, 'the text ends too early')
}

function describeProblem(text: string, offset: number, expected: Expected): string {
  const sign = text[offset]
  if (sign === '"') {
    const line = /^"(?:[^"\\\n]|\\.)*/.exec(text.slice(offset, offset + 10_000))?.[0] ?? ''
    if (text[offset + line.length] !== '"') return 'the `"` is never closed'
  }
  if (sign === '/' && /^\/[/*]/.test(text.slice(offset, offset + 2))) return 'a comment, which JSON does not have'
  return missing[expected] ?? unexpected(text, offset)
}

export function jsonProblems(text: string): SyntaxProblem[] {
  try {
    JSON.parse(text)
    return []
  } catch {
    return [findProblem(text, false) ?? problemAt(text, 0, 'this is not JSON')]
  }
}

export function commentedJsonProblems(text: string): SyntaxProblem[] {
  // Such settings files may be empty.
  if (text.trim() === '') return []
  const problem = findProblem(text, true)
  return problem === undefined ? [] : [problem]
}
