// Colors for code, a line at a time: only lines on the screen are looked at. Loaded when the first one is.

import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import css from 'highlight.js/lib/languages/css'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

const low = createLowlight({
  bash,
  c,
  css,
  go,
  java,
  json,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})

/** The ends of file names, by language. */
const ends: Readonly<Record<string, string>> = {
  bash: 'sh bash zsh',
  c: 'c h cc cpp hpp',
  css: 'css scss',
  go: 'go',
  java: 'java kt',
  json: 'json',
  markdown: 'md',
  php: 'php',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  sql: 'sql',
  typescript: 'ts tsx js jsx mjs cjs mts cts',
  xml: 'html xml svg vue',
  yaml: 'yml yaml',
}
const languages = new Map(Object.entries(ends).flatMap(([name, all]) => all.split(' ').map((end) => [end, name])))

export interface Piece {
  readonly text: string
  readonly class: string
}

interface Node {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly Node[]
}

export const languageOf = (path: string): string | undefined =>
  languages.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())

/** Longer lines are data. */
const longest = 500

export function piecesOf(line: string, language: string): readonly Piece[] {
  if (line.length > longest) return [{ text: line, class: '' }]
  const pieces: Piece[] = []
  const walk = (node: Node, name: string): void => {
    if (node.value !== undefined) pieces.push({ text: node.value, class: name })
    const own = node.properties?.className
    for (const child of node.children ?? []) walk(child, Array.isArray(own) ? own.join(' ') : name)
  }
  walk(low.highlight(language, line), '')
  return pieces
}
