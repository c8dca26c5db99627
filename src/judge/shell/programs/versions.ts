// Programs that are known only for this: asked for their version or help alone, they print it and exit.
//
// Programs that search the current directory or its parents for code, or for a program name, are not here, because they
// may do so before they answer: conftest.py, .pnpmfile.cjs, tools/bazel, toxfile.py, yarnPath, .mvn,
// rust-toolchain.toml, the toolchain of go.mod, global.json, .hg/hgrc, a copy in node_modules. So test runners,
// linters, build tools, package managers and version managers are unknown, and so is any program in doubt.

import type { Rule } from '../verdict.ts'

const names = `
  aws cc chmod chown clang clang++ cmake consul cp curl ddrescue emacs ffmpeg g++ gcc gdb gh ghc git-lfs gpg install
  java javac just ld less ln lua make mkdir mongod mongosh mv mysql nano ninja npm nvim nvm openssl perl php podman
  protoc psql python python3 redis-cli redis-server rm rmdir rsync ruby ruff split sqlite3 ssh strace touch tsc uv
  vault vim wget zsh`

/** Other spellings. Not `-v` for programs in which it means verbose and which then read a script. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  curl: ['-V'],
  ffmpeg: ['-version'],
  gcc: ['-dumpversion', '-dumpmachine'],
  java: ['-version'],
  javac: ['-version'],
  npm: ['-v'],
  openssl: ['version', 'version -a', 'version -d'],
  perl: ['-v'],
  php: ['-v', '-m', '-i'],
  psql: ['-V'],
  python: ['-V', '-VV'],
  python3: ['-V', '-VV'],
  ruby: ['-v'],
  sqlite3: ['-version'],
  ssh: ['-V'],
  tsc: ['-v'],
  wget: ['-V'],
}

export const versions: Readonly<Record<string, Rule>> = Object.fromEntries(
  names.split(/\s+/).map((name): [string, Rule] => [
    name,
    (args) => {
      const words = args.map(({ literal }) => literal ?? '\0').join(' ')
      return words === '--version' || spellings[name]?.includes(words) === true ? undefined : `${name} may write`
    },
  ]),
)
