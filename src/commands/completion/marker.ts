// A file that carries this line is ours, and may be written again.

export const marker = '# Written by `git plan completion`, which replaces a file that has this line.'

/** Among the first lines: what follows may be anybody's text about it. */
export const isOurs = (text: string): boolean => text.split('\n', 5).includes(marker)
