// What the expansion of a source text takes and gives back.

import type { Finding } from '../model/finding.ts'
import type { SourceEntry } from '../model/source-entry.ts'
import type { Declaration } from './declarations.ts'
import type { Given, ParamProblem } from './give-values.ts'
import type { LocatedText, Place } from './located-text.ts'

/** What a step includes. */
export type IncludeReference =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'plan'; readonly id: string; readonly at?: string | undefined }

export interface SourceText {
  readonly bytes: Uint8Array
  /** Its name in findings. */
  readonly file: string
}

export interface LoadedSource extends SourceText {
  /** The same for the same source, however it was named. */
  readonly key: string
  readonly entry: SourceEntry
}

export type LoadResult =
  | ({ readonly ok: true } & LoadedSource)
  | { readonly ok: false; readonly message: string; readonly advice?: string }

/** Reads what is included; reading files and Git objects is left to the caller. */
export type Load = (reference: IncludeReference) => Promise<LoadResult>

export interface ExpandOptions {
  readonly load: Load
  readonly given?: Given
  /** Where the values were given, if in a file: there they have to be corrected. */
  readonly givenAt?: Place
  /** Replaces the title of the text. */
  readonly title?: string | undefined
  /** Recorded under `sources`. */
  readonly entry?: SourceEntry
  /** The sources that include this one, outermost first. */
  readonly chain?: readonly ChainLink[]
  /** The key of the source itself. */
  readonly self?: string | undefined
  /** Shared by all sources of one expansion. */
  readonly budget?: { left: number }
}

export interface ChainLink {
  readonly key: string
  /** `parts.md:4`. */
  readonly label: string
}

export type Expanded =
  /** `located` is undefined if the text is unchanged. */
  | { readonly ok: true; readonly bytes: Uint8Array; readonly located: LocatedText | undefined }
  | {
      readonly ok: false
      readonly findings: Finding[]
      readonly missing: readonly Declaration[]
      /** What is wrong with values that were given, not with the text. */
      readonly wrong: readonly ParamProblem[]
    }

export type Expand = (source: SourceText, options: ExpandOptions) => Promise<Expanded>

export const maxIncludeDepth = 8
export const maxIncludes = 200
