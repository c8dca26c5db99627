// The content that each writer writes.

/** A plan file, and a file that a step has changed. */
export const paths = ['.plans/bench.md', 'src/000/file-00000.txt']
export const changesOf = (at, path) =>
  `${path} as it is after ${at}\n${'A line of the file that says nothing new.\n'.repeat(40)}`
export const messageOf = (at) => `Step ${at}\n\nPlan: bench\nPlan-Event: step\n`
