// What is used of css-tree, by the parts that it exports: its own types are for the whole of it, with the tables of all properties.

declare module 'css-tree/tokenizer' {
  export function tokenize(text: string, onToken: (type: number, start: number, end: number) => void): void
  export const tokenTypes: Readonly<Record<'AtKeyword' | 'CDC' | 'CDO' | 'Comment' | 'Delim' | 'Function' | 'Hash' | 'Ident' | 'WhiteSpace', number>>
}

declare module 'css-tree/selector-parser' {
  /** Throws a `SyntaxError` with an `offset`. */
  const parse: (text: string, options: { readonly context: 'selectorList' }) => unknown
  export default parse
}
