// The part of css-tree that is used: its own types are for the whole of it, with the tables of all properties.

declare module 'css-tree/parser' {
  const parse: (
    text: string,
    options: {
      readonly parseAtrulePrelude: boolean
      readonly onParseError: (error: { readonly offset: number }) => void
    },
  ) => unknown
  export default parse
}
