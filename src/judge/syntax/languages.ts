// Detects the language of a file by its name or its `#!` line. No parser is loaded.

/** judges.ts has the checker of each. */
export const languages = [
  'typescript',
  'tsx',
  'javascript',
  'json',
  'jsonc',
  'yaml',
  'toml',
  'python',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
  'ruby',
  'php',
  'shell',
  'html',
  'css',
] as const

export type Language = (typeof languages)[number]

const extensions: Readonly<Record<Language, string>> = {
  typescript: 'ts mts cts',
  tsx: 'tsx',
  javascript: 'js mjs cjs jsx',
  json: 'json geojson webmanifest har',
  jsonc: 'jsonc code-workspace',
  yaml: 'yaml yml',
  toml: 'toml',
  python: 'py pyi pyw',
  go: 'go',
  rust: 'rs',
  java: 'java',
  c: 'c h',
  cpp: 'cc cpp cxx c++ hh hpp hxx h++ ipp',
  ruby: 'rb rake gemspec podspec ru',
  php: 'php phtml',
  shell: 'sh bash',
  html: 'html htm xhtml',
  css: 'css',
}

const byExtension = new Map(
  languages.flatMap((language) => extensions[language].split(' ').map((extension) => [extension, language] as const)),
)

/** File names that tell more than their extension, or have none. The first match wins. */
const names: readonly (readonly [RegExp, Language | undefined])[] = [
  [
    /^(Rakefile|Gemfile|Guardfile|Capfile|Vagrantfile|Podfile|Fastfile|Appfile|Brewfile|Dangerfile|\.irbrc|\.pryrc)$/,
    'ruby',
  ],
  [/^\.?(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|envrc)$/, 'shell'],
  [/^(SConstruct|SConscript)$/, 'python'],
  [/^(composer\.lock|Pipfile\.lock|\.watchmanconfig)$/, 'json'],
  [/^(Pipfile|Cargo\.lock|poetry\.lock|uv\.lock)$/, 'toml'],
  // Read by programs that accept comments and trailing commas. A name that begins with a dot is a tool's settings file,
  // and many of those accept them too.
  [/^\.(eslintrc|jshintrc|swcrc)$|^\..*\.json$/, 'jsonc'],
  [/^(?:[\w.-]+\.)?[tj]sconfig(\..*)?\.json$|^tsconfig-.*\.json$/, 'jsonc'],
  [
    /^(devcontainer|api-extractor|language-configuration|turbo|nx|project|angular|deno|biome|wrangler|renovate|tslint|typedoc|rush|lerna|jsdoc|conf|tasks|launch|settings|keybindings|extensions)\.json$/,
    'jsonc',
  ],
]

/** Files in these directories are read by programs that accept comments in JSON. */
const commentedFolders = /(^|\/)(\.vscode|\.devcontainer|\.zed|\.cursor|\.fleet)\//

/** Interpreters in a `#!` line. Any other means an unknown language. */
const interpreters: readonly (readonly [RegExp, Language])[] = [
  [/^(sh|bash|dash|ash)$/, 'shell'],
  [/^(python|pypy)[\d.]*$/, 'python'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^(node|nodejs|zx)$/, 'javascript'],
  [/^(ts-node|tsx|deno|bun)$/, 'typescript'],
  [/^php[\d.]*$/, 'php'],
]

function byInterpreter(text: string): Language | undefined | 'no line' {
  const line = /^#![ \t]*(\S+)([^\n]*)/.exec(text.slice(0, 300))
  if (line === null) return 'no line'
  const words = [line[1] ?? '', ...(line[2] ?? '').trim().split(/\s+/)]
  const program = /(^|\/)env$/.test(words[0] ?? '') ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0]
  const name = program?.split('/').at(-1) ?? ''
  return interpreters.find(([pattern]) => pattern.test(name))?.[1]
}

/**
 * Undefined for an unknown language. `text` may be the whole text or its first line: a `#!` line decides for a file
 * without an extension, and tells which shell a `.sh` file is for.
 */
export function languageOf(path: string, text = ''): Language | undefined {
  // A placeholder in the path means that the file is a template too.
  if (/\{\{|\{%/.test(path)) return undefined
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  const named = names.find(([pattern]) => pattern.test(name))
  const language =
    named === undefined
      ? extension === undefined
        ? undefined
        : extension === 'json' && commentedFolders.test(path)
          ? 'jsonc'
          : byExtension.get(extension)
      : named[1]
  if (language !== undefined && language !== 'shell') return language
  if (language === undefined && extension !== undefined) return undefined
  const interpreted = byInterpreter(text)
  return interpreted === 'no line' ? language : interpreted
}
