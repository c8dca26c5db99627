import { sweepAll } from '../sweep.ts'

sweepAll('delete')
