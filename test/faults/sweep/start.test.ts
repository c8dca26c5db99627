import { sweepAll } from '../sweep.ts'

sweepAll('start')
