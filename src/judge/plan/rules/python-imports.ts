// Imports of Python modules that are in the repository: relative ones, and absolute ones whose first name is a module or
// a package below a directory from which the file may be run. Names of the standard library, of installed packages and
// of modules that a build makes are nobody's mistake, so only what must be here is reported.

import type { SimulatedTree } from '../rehearsal.ts'

const standardModules = new Set(
  `abc aifc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cgi cmath cmd code codecs
   codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes
   curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno
   faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp
   gzip hashlib heapq hmac html http idlelib imaplib imp importlib inspect io ipaddress itertools json keyword linecache
   locale logging lzma mailbox marshal math mimetypes mmap modulefinder multiprocessing netrc numbers operator optparse
   os pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix pprint profile pstats pty pwd
   py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select
   selectors shelve shlex shutil signal site smtplib sndhdr socket socketserver sqlite3 ssl stat statistics string
   stringprep struct subprocess symtable sys sysconfig syslog tarfile telnetlib tempfile termios test textwrap threading
   time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest
   urllib uu uuid venv warnings wave weakref webbrowser winreg wsgiref xml xmlrpc zipapp zipfile zipimport zlib
   zoneinfo`.split(/\s+/),
)

interface ImportedName {
  /** As written, such as `..shop.cart`. */
  readonly module: string
  /** For `from MODULE import NAME`. */
  readonly name?: string
}

/** The files of a module or a package, without their endings: `.pyx` and `.so` are compiled modules. */
const endings = ['.py', '.pyi', '.pyx', '.so', '/__init__.py', '/__init__.pyi']
/** Made by a build, and usually ignored by Git. */
const isGenerated = (module: string): boolean => /(_pb2|_pb2_grpc|(^|\.)_?version|(^|\.)_version\w*)$/.test(module)

/** Returns the imports as they are written that no file of the tree can satisfy. */
export async function unresolvedPythonImports(path: string, text: string, tree: SimulatedTree): Promise<string[]> {
  const missing = new Set<string>()
  for (const each of importsIn(text)) if (!(await isFound(path, each, tree))) missing.add(textOf(each))
  return [...missing]
}

const textOf = ({ module, name }: ImportedName): string =>
  name === undefined ? module : module.endsWith('.') ? `${module}${name}` : `${module}.${name}`

/** Statements inside of `try` and `except` are left out: they say that a module may be missing. */
function importsIn(text: string): ImportedName[] {
  const code = text
    .replace(/\r\n/g, '\n')
    .replace(/("""|''')[\s\S]*?\1/g, '""')
    .replace(/(^|\s)#.*$/gm, '')
    .replace(/\\\n/g, ' ')
    .replace(/\(([^()]*)\)/g, (_, inside: string) => `(${inside.replace(/\s*\n\s*/g, ' ')})`)
  const lines = code.split('\n')
  return lines.flatMap((line, at) => {
    const indent = indentOf(line)
    const isGuarded = indent > 0 && /^\s*(try|except\b.*|else|finally)\s*:/.test(lineAbove(lines, at, indent))
    return isGuarded ? [] : statementsOf(line)
  })
}

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0

/** The line that begins the block. */
const lineAbove = (lines: readonly string[], at: number, indent: number): string =>
  lines.slice(Math.max(0, at - 200), at).findLast((line) => line.trim() !== '' && indentOf(line) < indent) ?? ''

function statementsOf(line: string): ImportedName[] {
  const [, module = '', names = ''] = /^\s*from\s+(\.*[\w.]*)\s+import\s+(.+?)\s*;?\s*$/.exec(line) ?? []
  if (module !== '')
    return listed(names.replace(/^\(|\)$/g, '')).map((name) => (name === '*' ? { module } : { module, name }))
  const [, modules = ''] =
    /^\s*import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)\s*;?\s*$/.exec(line) ?? []
  return listed(modules).map((each) => ({ module: each }))
}

/** `a as b, c` is a and c. */
const listed = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim().split(/\s/)[0] ?? '')
    .filter((each) => /^([\w.]+|\*)$/.test(each))

async function isFound(path: string, { module, name }: ImportedName, tree: SimulatedTree): Promise<boolean> {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const parts = module
    .slice(dots)
    .split('.')
    .filter((each) => each !== '')
  if (isGenerated(module) || (name !== undefined && isGenerated(name))) return true
  if (dots > 0) {
    const above = path.split('/').slice(0, -1)
    // Above the top of the repository anything can be.
    if (dots - 1 > above.length) return true
    const base = above.slice(0, above.length - (dots - 1))
    return isModule([...base, ...parts].join('/'), name, tree)
  }
  const [first = ''] = parts
  if (standardModules.has(first)) return true
  let isOurs = false
  for (const root of rootsOf(path)) {
    const at = (rest: readonly string[]): string => [...(root === '' ? [] : [root]), ...rest].join('/')
    if (!(await isOwn(root, first, tree))) continue
    isOurs = true
    if (await isModule(at(parts), name, tree)) return true
  }
  return !isOurs
}

/** Each directory above the file may be on the path of modules, and so may its `src`. */
function rootsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  const above = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'))
  return [...above, ''].flatMap((each) => [each, each === '' ? 'src' : `${each}/src`])
}

/**
 * A directory without `__init__.py` is a package only at the top or in `src`, and if no manifest names it: docker, celery
 * and alembic are installed packages, and usual names of directories.
 */
async function isOwn(root: string, name: string, tree: SimulatedTree): Promise<boolean> {
  const path = root === '' ? name : `${root}/${name}`
  if (await hasAny(path, ['.py', '/__init__.py'], tree)) return true
  if (!['', 'src'].includes(root) || (await tree.kind(path)) !== 'directory') return false
  const files = (await tree.tracked(path)) ?? []
  return files.some((file) => file.endsWith('.py')) && !(await isInManifest(name, tree))
}

async function isInManifest(name: string, tree: SimulatedTree): Promise<boolean> {
  const pattern = new RegExp(`(?<![\\w.-])${name.replaceAll('_', '[-_]')}(?![\\w.-])`, 'i')
  for (const manifest of ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile']) {
    if ((await tree.kind(manifest)) === 'absent') continue
    const bytes = await tree.read(manifest)
    if (bytes === undefined || pattern.test(new TextDecoder().decode(bytes))) return true
  }
  return false
}

/** A module or a package at this path, in which `name` may be defined. An unknown path is assumed to exist. */
async function isModule(path: string, name: string | undefined, tree: SimulatedTree): Promise<boolean> {
  if (path !== '' && (await hasAny(path, endings.slice(0, 4), tree))) return true
  const kind = path === '' ? 'directory' : await tree.kind(path)
  if (kind !== 'directory') return kind !== 'absent'
  if (name === undefined) return true
  const inside = path === '' ? name : `${path}/${name}`
  if (await hasAny(inside, ['', ...endings], tree)) return true
  const init = path === '' ? '__init__.py' : `${path}/__init__.py`
  if ((await tree.kind(init)) === 'absent') return false
  const bytes = await tree.read(init)
  return bytes === undefined || mayDefine(new TextDecoder().decode(bytes), name)
}

const mayDefine = (text: string, name: string): boolean =>
  new RegExp(`(?<!\\w)${name}(?!\\w)|__getattr__|import\\s+\\*|exec\\(|globals\\(`).test(text)

async function hasAny(path: string, ends: readonly string[], tree: SimulatedTree): Promise<boolean> {
  for (const end of ends) if ((await tree.kind(`${path}${end}`)) !== 'absent') return true
  return false
}
