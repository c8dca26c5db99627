// Programs of which nothing is known but that they tell their version, or how they are used, when they are asked for that and for nothing else.

import type { Rule } from '../verdict.ts'

const names = `bun ansible aws az babel bazel biome black bundle bundler cc chmod chown clang clang++ composer conda consul cp curl dart ddrescue deno dotnet elixir emacs erlc eslint
  ffmpeg flake8 flutter g++ gcc gcloud gdb gh ghc git-lfs glab gpg gradle hg install isort java javac jest julia just kotlinc kustomize ld less ln lua make cmake mkdir mocha mongod mongosh mv
  mvn mypy mysql nano ninja npx nvim nvm openssl packer perl php podman poetry prettier protoc psql pylint pyright pytest python python3 R rake redis-cli redis-server rm rmdir rsync
  ruby ruff rustc rustfmt sbt scala split sqlite3 ssh strace svn swift swiftc terragrunt touch tox tsc uv vagrant valgrind vault vim vite vitest webpack wget yarn zsh`

/** How some of them spell it. `-v` is not here for those that it makes wordy and that go on to read a script. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  composer: ['-V'],
  curl: ['-V'],
  ffmpeg: ['-version'],
  gcc: ['-dumpversion', '-dumpmachine'],
  gradle: ['-v'],
  java: ['-version'],
  javac: ['-version'],
  mvn: ['-v'],
  openssl: ['version', 'version -a', 'version -d'],
  perl: ['-v'],
  php: ['-v', '-m', '-i'],
  psql: ['-V'],
  python: ['-V', '-VV'],
  python3: ['-V', '-VV'],
  ruby: ['-v'],
  rustc: ['-V', '-vV'],
  sqlite3: ['-version'],
  ssh: ['-V'],
  tsc: ['-v'],
  wget: ['-V'],
  yarn: ['-v'],
}

export const versions: Readonly<Record<string, Rule>> = Object.fromEntries(
  names.split(/\s+/).map((name): [string, Rule] => [
    name,
    (args) => {
      const words = args.map(({ literal }) => literal ?? '\0').join(' ')
      return words === '--version' || spellings[name]?.includes(words) === true ? undefined : `${name} is not known to only read`
    },
  ]),
)
