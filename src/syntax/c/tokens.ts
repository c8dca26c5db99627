// C and C++ → tokens. Space and comments are left out. `>` always stands alone: it ends templates, too.

export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'character' | 'sign'
  readonly text: string
  readonly at: number
  readonly end: number
  /** A word, and none of the language's own. */
  readonly isName: boolean
  readonly isFirstInLine: boolean
  /** Of its line. */
  readonly indentation: number
}

export type Dialect = 'c' | 'cpp'

const pattern =
  /(?<space>[ \t\r\n\f\v]+|\\\r?\n|\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/)|(?<string>(?:u8|[uUL])?(?:R"(?<raw>[^\s()\\"]{0,16})\([\s\S]*?\)\k<raw>"|"(?:[^"\\\n]|\\\r?\n|\\.)*")(?:[a-z_]\w*)?)|(?<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\\r?\n|\\.)*'(?:_\w*)?)|(?<number>\.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<sign><=>|->\*|\.\.\.|<<=|>>=|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|##|[\s\S])/guy

const shared =
  'auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while alignas alignof bool true false nullptr constexpr static_assert thread_local _Alignas _Alignof _Atomic _Bool _Generic _Static_assert'
const words: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  c: new Set(`${shared} restrict typeof`.split(' ')),
  cpp: new Set(
    `${shared} and catch char16_t char32_t char8_t class co_await co_return co_yield concept const_cast consteval constinit decltype delete dynamic_cast explicit export final friend import module mutable namespace new noexcept not operator or override private protected public reinterpret_cast requires static_cast template this throw try typeid typename using virtual wchar_t xor`.split(
      ' ',
    ),
  ),
}

const width = (space: string): number => space.replaceAll('\t', '        ').length

export function tokensOf(text: string, dialect: Dialect): Token[] {
  const tokens: Token[] = []
  let line = { at: 0, indentation: 0, isEmpty: true }
  for (const { 0: found, index, groups = {} } of text.matchAll(pattern)) {
    if (groups['space'] !== undefined) {
      const at = index + found.lastIndexOf('\n') + 1
      if (at > index) line = { at, indentation: 0, isEmpty: true }
      continue
    }
    if (line.isEmpty) line = { ...line, indentation: width(/^[ \t]*/.exec(text.slice(line.at, index))?.[0] ?? '') }
    const kind = (['word', 'sign', 'number', 'string', 'character'] as const).find((each) => groups[each] !== undefined) ?? 'sign'
    const isName = kind === 'word' && !words[dialect].has(found)
    tokens.push({ kind, text: found, at: index, end: index + found.length, isName, isFirstInLine: line.isEmpty, indentation: line.indentation })
    line = { ...line, isEmpty: false }
  }
  return tokens
}
