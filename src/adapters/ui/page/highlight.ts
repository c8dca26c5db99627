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

const languages: Readonly<Record<string, string>> = {
  ...{ sh: 'bash', bash: 'bash', zsh: 'bash', c: 'c', h: 'c', cc: 'c', cpp: 'c', hpp: 'c', css: 'css', scss: 'css' },
  ...{
    go: 'go',
    java: 'java',
    kt: 'java',
    json: 'json',
    md: 'markdown',
    php: 'php',
    py: 'python',
    rb: 'ruby',
    rs: 'rust',
  },
  ...{ sql: 'sql', ts: 'typescript', tsx: 'typescript', js: 'typescript', jsx: 'typescript', mjs: 'typescript' },
  ...{
    cjs: 'typescript',
    mts: 'typescript',
    html: 'xml',
    xml: 'xml',
    svg: 'xml',
    vue: 'xml',
    yml: 'yaml',
    yaml: 'yaml',
  },
}

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
  languages[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]

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
  walk(low.highlight(language, line) as unknown as Node, '')
  return pieces
}
