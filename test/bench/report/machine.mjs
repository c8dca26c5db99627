// The machine of the measurements: without it a figure means nothing.

import { statfsSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os'

/** Magic numbers of file systems, as Linux has them. */
const fileSystems = {
  0xef53: 'ext4',
  0x01021994: 'tmpfs',
  0x9123683e: 'btrfs',
  0x58465342: 'xfs',
  0x794c7630: 'overlayfs',
  0x2fc12fc1: 'zfs',
}

export function machineOf(place) {
  const processors = cpus()
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${type()} ${release()}`,
    disk: fileSystems[statfsSync(tmpdir()).type] ?? 'unknown',
    node: process.version,
    git: place.time('git', ['--version']).output().trim(),
    load: loadavg()[0],
  }
}

/** What makes the figures of this machine worth little, if anything does. */
export function warningsOf({ load, cores, disk }) {
  const warnings = []
  if (load > cores / 2)
    warnings.push(`the machine is busy (load ${load.toFixed(1)} on ${cores} cores): do not keep these figures`)
  if (disk === 'tmpfs') warnings.push('the temporary directory is in memory: set TMPDIR to a directory on a disk')
  return warnings
}
