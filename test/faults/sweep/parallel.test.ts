import { sweepAll } from '../sweep.ts'

sweepAll('start -j 4')
sweepAll('resume -j 4')
