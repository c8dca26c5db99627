import { sweepAll } from '../sweep.ts'

sweepAll('next')
sweepAll('next --done')
sweepAll('next --release')
sweepAll('next after another driver')
sweepAll('plan_run_script over MCP')
