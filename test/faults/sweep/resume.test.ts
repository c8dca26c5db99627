import { sweepAll } from '../sweep.ts'

sweepAll('resume')
