// What an importer reads and returns. A format is one value in a file of its own; index.ts has the table.

import { maxSteps, type Risk } from '../../model/plan.ts'

export interface ImportedFile {
  /** Relative to the given directory, or to the directory of the given file; with `/` between its parts. */
  readonly path: string
  readonly text: string
}

export interface ImportInput {
  /** The path as given, absolute and with `/` between its parts: some formats are told by their directory. */
  readonly location: string
  readonly files: readonly ImportedFile[]
}

export interface ImportFormat {
  readonly name: string
  /** The name of the tool, as people write it. */
  readonly tool: string
  /** Where its files usually are, for the documentation and for messages. */
  readonly usual: string
  /**
   * How sure it is that the input is a plan of this tool. `certain` excludes those that are only `possible`: a
   * checklist is possible in most Markdown files.
   */
  recognizes(input: ImportInput): 'certain' | 'possible' | undefined
  /** A directory is one plan; other formats take the file in it that is a plan. */
  readonly takesDirectory?: true
  /** Other files to read with a given file, as directories relative to its own and patterns of file names. */
  companions?(file: ImportedFile): readonly { readonly directory: string; readonly name: RegExp }[]
  read(input: ImportInput): ImportedPlan
}

/**
 * `dropped`: the other tool says that it must not be done. It becomes no step, and steps that needed it need what it
 * needed.
 */
export type ImportedState = 'pending' | 'done' | 'failed' | 'unknown' | 'dropped'

export interface ImportedStep {
  /** As in the source; it need be neither valid nor unique. */
  readonly id: string
  readonly title: string
  readonly line?: number | undefined
  /** If the source has several files. */
  readonly file?: string | undefined
  readonly state: ImportedState
  /** Why it has this state: words of the other tool, a time, an error. */
  readonly why?: string | undefined
  /** All that the source says besides the title. */
  readonly text?: string | undefined
  /** Ids as in the source. Without `needs` and `order` it needs the step before. */
  readonly needs?: readonly string[] | undefined
  /** Ids of steps that come before it only because of their order: no contradiction if they are open and it is done. */
  readonly order?: readonly string[] | undefined
  readonly owner?: string | undefined
  readonly goal?: string | undefined
  readonly phase?: 'design' | 'implementation' | undefined
  readonly criteria?: readonly string[] | undefined
  readonly risk?: Risk | undefined
  /** The keys of a file verb. Without it the step is manual: a person does it and confirms it. */
  readonly action?: FileAction | undefined
}

export type FileAction =
  | { readonly create: string; readonly content: string }
  | { readonly edit: string; readonly match: string; readonly with: string }
  | { readonly delete: string }

/** Something that the reader of the plan should know. */
export interface ImportNote {
  /**
   * `lost`: not carried over, or only as text. `unknown`: the source does not say, or says it in unknown words.
   * `contradiction`: two parts of the source disagree. `approval`: not taken over, because it is not ours.
   */
  readonly kind: 'lost' | 'unknown' | 'contradiction' | 'approval'
  readonly message: string
  readonly line?: number | undefined
  readonly file?: string | undefined
}

export interface ImportedPlan {
  readonly title: string
  readonly request?: string | undefined
  readonly steps: readonly ImportedStep[]
  readonly notes: readonly ImportNote[]
  /** What has no counterpart in the steps, as Markdown. */
  readonly prose: string
  /** Set if the other tool says that the plan must not run: the words for the record. */
  readonly refused?: string | undefined
}

/** Stops the import: the file is not what the format requires. */
export class UnreadableSource extends Error {
  readonly line: number | undefined
  readonly file: string | undefined
  constructor(message: string, at: { line?: number | undefined; file?: string | undefined } = {}) {
    super(message)
    this.name = 'UnreadableSource'
    this.line = at.line
    this.file = at.file
  }
}

/** Before work that takes longer than the number of steps: a plan of that many is refused anyway. */
export function refuseTooMany(count: number): void {
  if (count > 2 * maxSteps) throw new UnreadableSource(`it has ${count} steps; a plan has at most ${maxSteps}`)
}
