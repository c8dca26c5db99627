// Writes the peak memory of this process in kB. Read from Linux itself: getrusage starts with the size of the parent
// process.

const { readFileSync, writeFileSync } = require('node:fs')

function peak() {
  try {
    return /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
  } catch {
    return String(process.resourceUsage().maxRSS)
  }
}

process.on('exit', () => writeFileSync(process.env.GIT_PLAN_BENCH_PEAK, peak()))
