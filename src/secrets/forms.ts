// The forms in which a value can appear in output: verbatim, in base64 by itself or within a longer text, in a URL, in
// hex, in JSON, quoted for a shell.

import { base64Forms } from './base64.ts'

/** Shorter forms would match unrelated text. */
const shortest = 6

export function formsOf(value: string): readonly string[] {
  // A value of several lines may be printed with other line endings, or line by line.
  const lines = value.split(/\r?\n/)
  return encodedForms(
    lines.length === 1
      ? [value]
      : [value, lines.join('\r\n'), ...lines.map((line) => line.trim()).filter((line) => line.length >= 8)],
  )
}

/**
 * Forms of the whole value, as a file may contain it: one line of a longer value could be a line of any file. A
 * trailing newline that a variable was read with is not part of it.
 */
export function wholeFormsOf(value: string): readonly string[] {
  const text = value.trim()
  return encodedForms([text, text.split(/\r?\n/).join('\r\n')])
}

const encodedForms = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [text, ...inUrls(text), ...inBase64(text), ...inHex(text), ...inPrograms(text)])),
]

const strict = (text: string): string =>
  text.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

function inUrls(text: string): string[] {
  // A lone surrogate cannot be encoded.
  const plain = encodeURIComponent(Buffer.from(text).toString())
  // Some encoders keep the slash, and some encode more than necessary.
  return [plain, strict(plain), plain.replaceAll('%2F', '/'), strict(plain).replaceAll('%2F', '/')]
    .flatMap((form) => [form, form.replaceAll('%20', '+')])
    .flatMap((form) => [form, lower(form)])
}

function inBase64(text: string): string[] {
  const whole = Buffer.from(text).toString('base64')
  // `base64` and `openssl` wrap lines.
  const lines = [64, 76].flatMap((width) =>
    whole.length > width ? (whole.match(new RegExp(`.{1,${width}}`, 'g')) ?? []) : [],
  )
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_'), ...base64Forms(text), ...lines].filter(
    (form) => form.replace(/=+$/, '').length >= shortest,
  )
}

function inHex(text: string): string[] {
  const form = Buffer.from(text).toString('hex')
  return [form, form.toUpperCase()]
}

/** Forms in JSON, with or without optional escapes, and in shell quotes. */
function inPrograms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const code = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return [
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, code),
    json.replace(/[^\x20-\x7e]/g, code),
    text.replaceAll("'", String.raw`'\''`),
  ]
}
