// Ways to spoil a file. Each takes text and gives other text, or bytes where it would be no text any more.

import { keys, scalars } from '../helpers/yaml-pieces.ts'
import type { Random } from './random.ts'

/** `other`: another seed, to take pieces from. */
type Mutation = (text: string, random: Random, other: string) => string

/** Line ends, marks and characters that mean something to one of the readers, to a terminal or to a disk. */
const oddities = [
  '\n', '\r', '\r\n', '\t', ' ', '  ', '\0', '\u0085', '\u00a0', '\u2028', '\u2029', '\ufeff', '\u200b', '\u200c', '\u200d', '\u202e', '\u2066', '\u001b[31m',
  '\u001b]52;c;eA==\u0007', '\u0007', '\u007f', '\u009b', 'e\u0301', 'é', '\ud83d\ude00', '\u{e0041}', 'İ', 'ﬁ', '---', '---\n', '\n---\n', '--- #', '----', '...',
  '\n...\n', ': ', ':', '- ', '-', '#', ' #', '"', "'", '|', '>', '&a ', '*a', '!!js/function ', '!<tag:x> ', '%YAML 1.1\n', '? ', '<<: ', '{', '}', '[', ']', ',', '\\',
  '\\u0000', '\\x', '@', '`', '~', 'null', '__proto__: ', 'constructor: ', 'prototype: ',
] // prettier-ignore

/** What YAML can do and a plan must not: each is a line or more. */
const features = [
  'a: &x [1, 2]', 'b: *x', '<<: {title: x}', 'title: !!binary aGk=', 'title: !!js/function x', '? {a: b}\n: c', '? [a, b]\n: c', '{a: b, c: d}', '[a: b]', 'title: >+\n  a\n\n', 'title: |2\n    a',
  'request: "a\\\n  b"', "request: 'a\n\n  b'", 'meta: {a: {b: {c: {d: [1, [2, [3]]]}}}}', 'meta: [[[[[[]]]]]]', '- - - - - a', 'date: 2026-01-02', 'timeout: 12:30', 'n: 0o17', 'n: 0xFF',
  'n: 1_000', 'n: .inf', 'n: 1e400', 'n: -0', 'title: "\\ud800"', 'title: "\\U0010FFFF"', '!!map {a: b}', '%TAG ! tag:x,2000:', '--- !x', '# comment', 'status: active\nstate: {a: done}',
] // prettier-ignore

const spliced = (text: string, at: number, removed: number, put: string): string =>
  text.slice(0, at) + put + text.slice(at + removed)
const onLines =
  (change: (lines: string[], at: number, random: Random, other: string) => void): Mutation =>
  (text, random, other) => {
    const lines = text.split('\n')
    change(lines, random.below(lines.length), random, other)
    return lines.join('\n')
  }
/** Words and the marks between them. */
const tokensOf = (text: string): string[] => text.split(/(\s+|[:,[\]{}"'#|>-]+)/)

/** Those that leave most of a file as it is. */
export const gentleMutations: Readonly<Record<string, Mutation>> = {
  'remove lines': onLines((lines, at, random) => lines.splice(at, random.upTo(4) + 1)),
  'double a line': onLines((lines, at) => lines.splice(at, 0, lines[at]!)),
  'swap lines': onLines((lines, at, random) => {
    const to = random.below(lines.length)
    ;[lines[at], lines[to]] = [lines[to]!, lines[at]!]
  }),
  'a line of another': onLines((lines, at, random, other) =>
    lines.splice(at, random.below(2), random.from(other.split('\n'))),
  ),
  'another value': onLines(
    (lines, at, random) =>
      (lines[at] = lines[at]!.replace(/(: |- ).*$/, (_, mark: string) => mark + random.from(scalars))),
  ),
  'another key': onLines(
    (lines, at, random) => (lines[at] = lines[at]!.replace(/[\w"]+:/, () => `${random.from(keys)}:`)),
  ),
  'a feature of YAML': onLines((lines, at, random) => {
    const indent = /^ */.exec(lines[at]!)![0]
    lines.splice(at, 0, ...random.from(features).split('\n').map((line) => indent + line)) // prettier-ignore
  }),
}

export const mutations: Readonly<Record<string, Mutation>> = {
  'put a character': (text, random) =>
    spliced(text, random.below(text.length + 1), random.below(2), random.from(oddities)),
  'put any character': (text, random) =>
    spliced(text, random.below(text.length + 1), random.below(2), String.fromCodePoint(random.upTo(0xd7ff))),
  'remove a piece': (text, random) => spliced(text, random.below(text.length), random.upTo(200), ''),
  'cut the end': (text, random) => text.slice(0, random.below(text.length + 1)),
  'cut the beginning': (text, random) => text.slice(random.upTo(text.length + 1)),
  'double a piece': (text, random) => {
    const at = random.below(text.length)
    return spliced(text, at, 0, text.slice(at, at + random.upTo(300)))
  },
  'indent a line': onLines(
    (lines, at, random) => (lines[at] = random.from([' ', '  ', '    ', '\t', '- ']) + lines[at]!),
  ),
  'dedent a line': onLines((lines, at, random) => (lines[at] = lines[at]!.slice(random.upTo(6)))),
  'lines of another': onLines((lines, at, random, other) => {
    const theirs = other.split('\n')
    const from = random.below(theirs.length)
    lines.splice(at, random.upTo(5), ...theirs.slice(from, from + random.upTo(12) + 1))
  }),
  'other tokens': (text, random, other) => {
    const [tokens, theirs] = [tokensOf(text), tokensOf(other)]
    for (let left = random.upTo(6); left >= 0; left -= 1) tokens[random.below(tokens.length)] = random.from(theirs)
    return tokens.join('')
  },
  'halves of two': (text, random, other) =>
    text.slice(0, random.below(text.length)) + other.slice(random.below(other.length)),
  'other line ends': (text, random) => text.replaceAll('\n', random.from(['\r\n', '\r', '\n\n', '\u2028', '\n\r'])),
  'a byte order mark': (text) => `\ufeff${text}`,
  nest: (text, random) => {
    const [open, close] = random.from([['[', ']'], ['{a: ', '}'], ['- ', ''], ['"', '"'], ['{', '}'], ['? ', ''], ['[{a: ', '}]']] as const) // prettier-ignore
    const depth = random.upTo(3000)
    const isClosed = random.below(2) === 0
    return spliced(text, random.below(text.length), 0, open.repeat(depth) + (isClosed ? close.repeat(depth) : ''))
  },
  'nest in lines': onLines((lines, at, random) => {
    const name = random.from(['a:', '- ', 'meta:', '- a:', '? '])
    lines.splice(
      at,
      0,
      ...Array.from({ length: random.upTo(400) }, (_, depth) => ' '.repeat(depth * name.length) + name),
    )
  }),
}

/** The same, large: a file of a mebibyte takes a thousand times as long as one of a kibibyte. */
export const largeMutations: Readonly<Record<string, Mutation>> = {
  'a huge scalar': onLines((lines, at, random) => {
    const piece = random.from([
      'x',
      'a ',
      'é',
      '\u{1f600}',
      '"',
      "'",
      '\\',
      '\\n',
      '#',
      ': ',
      '- ',
      '\t',
      '[',
      '{',
      '&',
      '*',
      '!',
      '-',
      '0',
      '.',
      '\u200b',
      'a: b, ',
      '`',
      '~~~',
      '(',
      '*a*',
    ])
    lines[at] += piece.repeat(Math.ceil(random.below(1_100_000) / piece.length))
  }),
  'a line again and again': onLines((lines, at, random) => {
    const line = lines[at]!
    lines.splice(
      at,
      0,
      ...Array.from({ length: Math.min(random.below(60_000), Math.ceil(1_100_000 / (line.length + 1))) }, () => line),
    )
  }),
  'a line in many versions': onLines((lines, at, random) => {
    const line = lines[at]!
    const count = Math.min(random.below(40_000), Math.ceil(1_100_000 / (line.length + 6)))
    lines.splice(at, 0, ...Array.from({ length: count }, (_, n) => line.replace(/\w+/, (word) => `${word}${n}`)))
  }),
  'all of it again and again': (text, random) =>
    text.repeat(Math.min(random.below(5000), Math.ceil(1_100_000 / (text.length + 1)))),
  'a mebibyte of one thing': (text, random) => {
    const piece = random.from(oddities)
    return spliced(
      text,
      random.below(text.length + 1),
      0,
      piece.repeat(Math.ceil(random.below(1_048_576) / piece.length)),
    )
  },
}

/** Bytes that are no text. */
export function spoilBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const spoiled = Uint8Array.from(bytes)
  for (let left = random.upTo(8); left >= 0; left -= 1) spoiled[random.below(spoiled.length)] = random.below(256)
  return spoiled
}
