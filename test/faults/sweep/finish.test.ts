import { sweepAll } from '../sweep.ts'

sweepAll('finish')
