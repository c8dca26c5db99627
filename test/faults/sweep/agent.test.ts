import { sweepAll } from '../sweep.ts'

sweepAll('start of an agent')
