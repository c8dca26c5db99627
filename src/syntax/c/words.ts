// Words of C and C++ by what they do.

const among = (words: string): ((text: string) => boolean) => {
  const set: ReadonlySet<string> = new Set(words.split(' '))
  return (text) => set.has(text)
}

export const isStatement = among('break case continue default do else for goto if return switch while try throw')
export const isType = among('bool char double float int long short signed unsigned void')
export const isDeclaration = among(
  'auto const enum extern register static struct typedef union volatile class template using namespace typename inline constexpr',
)
export const isWord = (text: string): boolean => isStatement(text) || isType(text) || isDeclaration(text)
/** What is an operand by itself. */
export const isValue = among('true false nullptr this NULL')

export const isMember = among('. ->')
/** An operand has to follow. `*`, `&`, `<` and `>` are left out: they are parts of types, too. */
export const joins = among('- + / % | ^ ! ~ ? == != <= >= || << = -= += *= /= %= &= |= ^= <<= return new throw goto')
/** What can stand neither first nor behind an operator. `^` can: it begins blocks of Clang and reflections of C++. */
export const isNeverFirst = among('/ % | = ? : . == != <= >= || -> -= += *= /= %= &= |= ^= <<=')
export const opens = among('( [ {')
export const closes = among(') ] }')
