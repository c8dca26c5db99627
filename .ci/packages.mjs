// Packages that a check needs and the project does not: by name and version, kept outside of the repository.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const quiet = ['--no-audit', '--no-fund', '--loglevel=error']

/** A directory in the temporary one, which is everybody's: what lies here is going to be executed. */
export function ownDirectory(name) {
  const directory = join(tmpdir(), `${name}-${process.getuid()}`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const owner = lstatSync(directory)
  if (!owner.isDirectory() || owner.uid !== process.getuid()) throw new Error(`${directory} is not yours`)
  return directory
}

/** Installed once, below `directory`, without their scripts. Answers with where they are. */
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

/** A few files of a large package, unpacked once below `directory`. Answers with where they are. */
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
