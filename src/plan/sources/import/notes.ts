// Collects the notes of an import.

import type { ImportNote } from './format.ts'

type Position = Pick<ImportNote, 'line' | 'file'>

export class Notes {
  readonly all: ImportNote[] = []

  lost(message: string, at: Position = {}): void {
    this.#add('lost', message, at)
  }

  unknown(message: string, at: Position = {}): void {
    this.#add('unknown', message, at)
  }

  contradiction(message: string, at: Position = {}): void {
    this.#add('contradiction', message, at)
  }

  approval(message: string, at: Position = {}): void {
    this.#add('approval', message, at)
  }

  #add(kind: ImportNote['kind'], message: string, { line, file }: Position): void {
    this.all.push({
      kind,
      message,
      ...(line === undefined ? {} : { line }),
      ...(file === undefined ? {} : { file }),
    })
  }
}

/** Text of the source in a message: one line, not too long. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `"${line.length > 60 ? `${line.slice(0, 59)}…` : line}"`
}

/** The name of a file or directory without its suffix and date, for a source without a title. */
export const nameOf = (location: string): string =>
  (location.split('/').findLast((part) => part !== '') ?? 'plan')
    .replace(/(\.plan)?\.(md|mdc|markdown|json)$/i, '')
    .replace(/^\d{4}-\d\d-\d\d[.-]/, '')
