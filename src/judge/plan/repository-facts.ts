// What rules may ask of the repository that a plan is for. Whoever calls them answers, from objects and by looking at
// files: nothing is run, and no link is followed.

/** As a commit has it. `submodule`: another repository's commit. */
export type EntryKind = 'absent' | 'file' | 'directory' | 'symlink' | 'submodule'

export interface Look {
  /** In the commit that the next step starts from. */
  kind(path: string): Promise<EntryKind>
  /**
   * undefined: what lies in the work tree is not what the commit has, as with a filter, or it is too large to be worth
   * it.
   */
  read(path: string): Promise<Uint8Array | undefined>
  /** The files at or below a path. */
  tracked(path: string): Promise<readonly string[]>
  isIgnored(path: string): Promise<boolean>
  /** Why what lies there on the disk cannot be replaced, such as "it is a pipe". */
  obstacle(path: string): Promise<string | undefined>
  /** On the PATH that steps have. */
  hasTool(name: string): Promise<boolean>
  /** Where the work tree is; undefined: it does not say. */
  freeBytes(): Promise<number | undefined>
}
