// Begins a process of the fuzz: the job is its argument, what came of it is on standard output.

import { work, type Job } from './child.ts'
import { Inputs, type Input } from './inputs.ts'
import { readSeeds } from './seeds.ts'

/** For whoever watched a process that can no longer be asked. */
export const inputOf = (root: string, seed: number, n: number): Input => new Inputs(readSeeds(root), seed).at(n)

const job = process.argv[2] ?? ''
if (job.startsWith('{')) process.stdout.write(JSON.stringify(await work(JSON.parse(job) as Job)))
