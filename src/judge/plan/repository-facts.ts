// Questions that rules ask about the repository. The caller answers from objects and file metadata: nothing is run, and
// no symlink is followed.

/** Kind of a tree entry. `submodule`: a commit of another repository. */
export type EntryKind = 'absent' | 'file' | 'directory' | 'symlink' | 'submodule'

export interface RepositoryFacts {
  /** Kind of the path in the commit that the next step starts from. */
  kind(path: string): Promise<EntryKind>
  /** undefined if the content in the work tree differs from the commit, as with a filter, or is too large to read. */
  read(path: string): Promise<Uint8Array | undefined>
  /** Bytes of a file in the commit; undefined if there is none. */
  size(path: string): Promise<number | undefined>
  /** All regular files of the commit. */
  files(): Promise<readonly string[]>
  /** Tracked files at or below a path. */
  tracked(path: string): Promise<readonly string[]>
  isIgnored(path: string): Promise<boolean>
  /** Why the file on disk cannot be replaced, such as "it is a pipe". */
  obstacle(path: string): Promise<string | undefined>
  /** True if the tool is on the PATH of the steps. */
  hasTool(name: string): Promise<boolean>
  /** Free bytes on the disk of the work tree; undefined if unknown. */
  freeBytes(): Promise<number | undefined>
}
