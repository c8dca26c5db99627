// Prose as elements. The parser gives tokens, and each becomes an element of this table or text: markup in the text is
// shown as it stands, an image as a link, and a link leads away only with http, https or mailto.

import MarkdownIt from 'markdown-it'
import { Fragment, h, type ComponentChild, type VNode } from 'preact'
import { useMemo } from 'preact/hooks'

const parser = new MarkdownIt({ html: false, linkify: false })

type Token = ReturnType<typeof parser.parse>[number]

const tags: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td em strong s code pre hr br'.split(' '),
)
/** The page has its own headings above those of the prose. */
const headings: Readonly<Record<string, string>> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' }

export function Markdown({ text }: { readonly text: string }): VNode {
  const nodes = useMemo(() => nodesOf(parser.parse(text, {})), [text])
  return <div class="prose">{nodes}</div>
}

interface Open {
  readonly token: Token | undefined
  readonly children: ComponentChild[]
}

function nodesOf(tokens: readonly Token[]): ComponentChild[] {
  const stack: Open[] = [{ token: undefined, children: [] }]
  for (const token of tokens) {
    const top = stack.at(-1)!
    if (token.nesting === 1) stack.push({ token, children: [] })
    else if (token.nesting === -1) {
      const closed = stack.length > 1 ? stack.pop() : undefined
      if (closed?.token !== undefined) stack.at(-1)!.children.push(element(closed.token, closed.children))
    } else top.children.push(leaf(token))
  }
  return stack[0]!.children
}

function element(token: Token, children: ComponentChild[]): ComponentChild {
  if (token.tag === 'a') return link(String(token.attrGet('href') ?? ''), children)
  // In a list without empty lines a paragraph is not shown as one.
  if (token.hidden || !tags.has(token.tag)) return h(Fragment, null, children)
  return h(headings[token.tag] ?? token.tag, null, children)
}

function leaf(token: Token): ComponentChild {
  switch (token.type) {
    case 'inline':
      return h(Fragment, null, nodesOf(token.children ?? []))
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return h('br', null)
    case 'hr':
      return h('hr', null)
    case 'code_inline':
      return h('code', null, token.content)
    case 'code_block':
    case 'fence':
      return h('pre', null, h('code', null, token.content))
    case 'image':
      return link(String(token.attrGet('src') ?? ''), [token.content === '' ? 'image' : token.content])
    default:
      return token.content
  }
}

const link = (href: string, children: ComponentChild[]): VNode =>
  /^(https?:|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )
