// The draft that `git plan new 'TITLE'` makes.

/** The step of a draft, which somebody has to replace. */
export const draftStep = 'Replace this step'

export const isDraft = (steps: readonly { readonly title: string }[]): boolean =>
  steps.length === 1 && steps[0]?.title === draftStep
