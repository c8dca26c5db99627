// The order of names and instants, by the code of their characters: they are ASCII, it is the same everywhere, and the
// tables of a locale take longer to load than a small command runs.

export const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
