// Where a part of a plan came from, as the plan file records it. It is for readers: nothing trusts it.

export interface SourceEntry {
  /** The step of the text that included it; left out for the template of the whole plan. */
  readonly step?: string | undefined
  /** A file of the repository, a template and where it was found, or a plan at a commit. */
  readonly file?: string | undefined
  readonly template?: string | undefined
  readonly from?: string | undefined
  readonly plan?: string | undefined
  readonly at?: string | undefined
  /** SHA-256 of its bytes. */
  readonly digest: string
}

/** `lint: file .plans/parts/lint.md, digest 0123456789ab`. */
export function sourceEntryText({ step, file, template, from, plan, at, digest }: SourceEntry): string {
  const named = [
    ...(file === undefined ? [] : [`file ${file}`]),
    ...(template === undefined ? [] : [`template ${template}${from === undefined ? '' : ` (${from})`}`]),
    ...(plan === undefined ? [] : [`plan ${plan}${at === undefined ? '' : ` at ${at.slice(0, 10)}`}`]),
  ].join(' ')
  return `${step === undefined ? '' : `${step}: `}${named}, digest ${digest.slice(0, 12)}`
}
