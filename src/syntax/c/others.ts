// Languages that only look like C and C++, in files of the same names: nothing is said of them.

import type { Token } from './tokens.ts'

/** Objective-C, CUDA, C++/CX, C++ with concepts of range-v3. */
const inCode =
  /<<<|\(\s*requires\b|\b(Platform|Windows)::|\bref[ \t]+(new|class)\b|\btemplate[ \t]*\(|^[ \t]*@(interface|protocol|class|implementation|end|import|property)\b|\[\w+ \w+(:|\])/m
/** Where it is a directive, or in a part that is not compiled as C. */
const inText = /^[ \t]*(#[ \t]*import|@(interface|protocol|class|implementation|import))\b/m

export const looksLikeOther = (text: string, code: string): boolean => inCode.test(code) || inText.test(text)

const afterAt = /^([[{(]|selector|encode|protocol|autoreleasepool|synchronized|available|try|throw|YES|NO|true|false)$/

/** `@"text"`, `@[a]`, `@selector(a)` of Objective-C, and `@NAME@`, which a script replaces. Comments and strings have no part in it. */
export function hasOtherSigns(tokens: readonly Token[]): boolean {
  return tokens.some(({ text }, index) => {
    const [next, last] = [tokens[index + 1], tokens[index + 2]]
    return (
      text === '@' && next !== undefined && (next.kind === 'string' || afterAt.test(next.text) || (next.isName && last?.text === '@' && last.at === next.end))
    )
  })
}
