import { sweepAll } from '../sweep.ts'

for (const what of ['a switch', 'an event', 'a declared step', 'a rollback', 'a way back'])
  sweepAll(`recovery of ${what}`)
