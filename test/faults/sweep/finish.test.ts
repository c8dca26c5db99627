import { sweepAll } from '../sweep.ts'

sweepAll('finish')
sweepAll('finish over changes')
sweepAll('finish with changes')
