// A file with this line was written by git plan and may be replaced.

export const marker = '# Written by `git plan completion`, which replaces a file that has this line.'

/** Only the first lines are searched: the rest may quote the marker. */
export const isOurs = (text: string): boolean => text.split('\n', 5).includes(marker)
