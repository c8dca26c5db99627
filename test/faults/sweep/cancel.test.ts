import { sweepAll } from '../sweep.ts'

sweepAll('cancel')
