// Writes down how many kB this process had at its peak. Linux is asked itself: what getrusage says begins with the size of the process that started this one.

const { readFileSync, writeFileSync } = require('node:fs')

function peak() {
  try {
    return /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
  } catch {
    return String(process.resourceUsage().maxRSS)
  }
}

process.on('exit', () => writeFileSync(process.env.GIT_PLAN_BENCH_PEAK, peak()))
