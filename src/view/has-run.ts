// The words for a parallel step that has run and is not committed yet: `status` says them, and the page looks for them.

const words = 'it has run; '

/** `until`: what its result waits for. */
export const hasRunText = (until: string): string => `${words}its result waits for ${until}`

export const isHasRunText = (why: string | null): boolean => why?.startsWith(words) === true
