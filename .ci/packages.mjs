// Installs packages that a check needs but the project does not, by name and version, outside the repository.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const quiet = ['--no-audit', '--no-fund', '--loglevel=error']

/**
 * A private directory below the shared temporary directory: its content will be executed, so nobody else may own it.
 */
export function ownDirectory(name) {
  const directory = join(tmpdir(), `${name}-${process.getuid()}`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const owner = lstatSync(directory)
  if (!owner.isDirectory() || owner.uid !== process.getuid()) throw new Error(`${directory} is not yours`)
  return directory
}

/** Installs packages once below `directory`, without running their scripts. Returns their node_modules directory. */
export function installed(directory, packages) {
  const marker = join(directory, 'complete')
  if (!existsSync(marker)) {
    mkdirSync(directory, { recursive: true })
    execFileSync('npm', ['install', '--prefix', directory, '--no-save', '--ignore-scripts', ...quiet, ...packages], {
      cwd: directory,
      stdio: 'inherit',
    })
    writeFileSync(marker, '')
  }
  return join(directory, 'node_modules')
}

/** Unpacks a few files of a large package once below `directory`. Returns their paths. */
export function unpacked(directory, spec, files) {
  const paths = files.map((file) => join(directory, 'package', file))
  if (!paths.every((path) => existsSync(path))) {
    mkdirSync(directory, { recursive: true })
    const name = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory, spec], {
      cwd: directory,
      encoding: 'utf8',
    }).trim()
    execFileSync('tar', ['-xzf', join(directory, name), '-C', directory, ...files.map((file) => `package/${file}`)])
    rmSync(join(directory, name))
  }
  return paths
}
