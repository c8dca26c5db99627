// Secrets in base64, as manifests of Kubernetes, variables of CI and data URLs have them: known by how they begin, wherever in a longer text that is.

import { base64Forms, decodedAt, type Base64Form, type Decoded } from './base64-forms.ts'
import { tokenShapes, type TokenShape } from './token-shapes.ts'

interface Kind {
  /** Of what is decoded: the secret, at its beginning. */
  readonly whole: RegExp
  /** What may become one. */
  readonly begun: RegExp
}

export interface Encoded {
  readonly form: Base64Form
  /** Made when something was found: there are many, and most texts have none of them. */
  readonly kind: () => Kind
  /** The head of a private key; what follows is a part of it. */
  readonly isKey?: boolean
}

const escaped = (text: string): string => text.replace(/[.+]/g, String.raw`\$&`)
/** Any beginning of a text. */
const beginning = (text: string): string => text.split('').reduceRight((rest, letter) => `(?:${escaped(letter)}${rest})?`, '')

function kindOf({ prefixes, of, least, isExact = false }: TokenShape): () => Kind {
  let made: Kind | undefined
  const names = prefixes.map(escaped).join('|')
  return () =>
    (made ??= {
      whole: new RegExp(`^(?:${names})[${of}]{${least}${isExact ? `}(?![${of}])` : ',}'}`),
      begun: new RegExp(`^(?:${prefixes.map(beginning).join('|')}|(?:${names})[${of}]{0,${least}})$`),
    })
}

const webToken: Kind = { whole: /^eyJ[\w-]{8,4096}\.eyJ[\w-]{4,}[\w.-]*/, begun: /^(?:e?|ey|eyJ[\w-]{0,4096}(?:\.(?:e(?:y(?:J[\w-]{0,3})?)?)?)?)$/ }
const key: Kind = { whole: /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/, begun: /^-{0,5}$|^-----(?:B|BE|BEG|BEGI|BEGIN(?: [A-Z0-9 ]{0,52})?)$/ }
const address: Kind = {
  whole: /^[a-z+]{4,14}:\/\/[^\s:/@"'<>]{0,256}:[^\s/"'<>]{1,256}@[\w.[-]/,
  begun: /^[a-z+]{0,14}(?::\/{0,2}|:\/\/[^\s/"'<>]{1,520})?$/,
}
/** What `docker login` writes, and Kubernetes pulls images with. */
const registries: Kind = { whole: /^\{"auths"\s*:[^]*?"auth"\s*:\s*"[A-Za-z0-9+/=]{8,}"/, begun: /^\{"?a?u?t?h?s?"?$|^\{"auths"[^]{0,512}$/ }

const schemes = ['postgres', 'mysql://', 'mariadb://', 'mongodb', 'redis', 'amqp', 'https://', 'http://']

/** Of a value that is encoded by itself: it begins where a group does. */
const alone = (text: string): readonly Base64Form[] => base64Forms(text).filter(({ shift }) => shift === 0)

let made: readonly Encoded[] | undefined

export function encodedForms(): readonly Encoded[] {
  const all = (kind: () => Kind, ...forms: readonly (readonly Base64Form[])[]): Encoded[] => forms.flat().map((form) => ({ form, kind }))
  return (made ??= [
    ...tokenShapes.flatMap((shape) => all(kindOf(shape), ...shape.prefixes.map(base64Forms))),
    ...all(() => webToken, alone('eyJ'), base64Forms('eyJhbGci'), base64Forms('eyJ0eXAi')),
    ...base64Forms('-----BEGIN ').map((form) => ({ form, kind: () => key, isKey: true })),
    ...all(() => address, ...schemes.map(alone)),
    ...all(() => registries, alone('{"auths"')),
  ])
}

/** Enough to tell what it is. */
const short = 1400
/** And for a private key, or all of a longer text. */
const long = 20_000

/** Whether what is encoded at a place begins with a secret. */
export function isEncodedAt(bytes: Buffer, at: number, { form, kind }: Encoded): boolean {
  // Most of what is found is nothing: a few characters tell.
  const { text: head } = decodedAt(bytes, at, form, { most: 24, isWrapped: true })
  return /^[\x20-\x7e\s]{9}/.test(head) && kind().whole.test(decodedAt(bytes, at, form, { most: short, isWrapped: true }).text)
}

/** All that is encoded from there on. */
export const decodedText = (bytes: Buffer, at: number, { form }: Encoded): Decoded => decodedAt(bytes, at, form, { most: long, isWrapped: true })

/** The same in a stream: how long the secret is, whether it goes on, or may become one. */
export function encodedIn(bytes: Buffer, at: number, { form, kind }: Encoded): { readonly length: number; readonly isOpen: boolean } | undefined {
  const { text, isOpen } = decodedAt(bytes, at, form, { most: short, isWrapped: false })
  const { whole, begun } = kind()
  const [found] = whole.exec(text) ?? []
  if (found !== undefined) return { length: found.length, isOpen: found.length === text.length }
  return isOpen && begun.test(text) ? { length: 0, isOpen: true } : undefined
}
