// Types for the part of css-tree in use: its own types cover all of it, with the tables of all properties.

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
