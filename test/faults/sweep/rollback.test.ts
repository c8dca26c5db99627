import { sweepAll } from '../sweep.ts'

sweepAll('rollback')
