// Orders names and timestamps by character code: they are ASCII, the order is the same everywhere, and loading locale
// tables takes longer than a small command.

export const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
