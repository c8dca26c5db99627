// The ways in which a value can appear in output: as it is, in base64 by itself or within a longer text, in a URL, in
// hex, in JSON, quoted for a shell.

import { base64Forms } from './base64.ts'

/** Shorter pieces would be found in texts that have nothing to do with it. */
const shortest = 6

export function formsOf(value: string): readonly string[] {
  // A value of several lines is shown with other line ends, or line by line.
  const lines = value.split(/\r?\n/)
  return encoded(
    lines.length === 1
      ? [value]
      : [value, lines.join('\r\n'), ...lines.map((line) => line.trim()).filter((line) => line.length >= 8)],
  )
}

/**
 * All of the value, as a file may hold it: a line of a longer one can be the line of any file. The end of line that a
 * variable was read with is not a part of it.
 */
export function wholeFormsOf(value: string): readonly string[] {
  const text = value.trim()
  return encoded([text, text.split(/\r?\n/).join('\r\n')])
}

const encoded = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [text, ...inUrls(text), ...inBase64(text), ...inHex(text), ...inPrograms(text)])),
]

const strict = (text: string): string =>
  text.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

function inUrls(text: string): string[] {
  // Half of a pair of surrogates cannot be encoded.
  const plain = encodeURIComponent(Buffer.from(text).toString())
  // Some leave the slash as it is, and some encode what need not be.
  return [plain, strict(plain), plain.replaceAll('%2F', '/'), strict(plain).replaceAll('%2F', '/')]
    .flatMap((form) => [form, form.replaceAll('%20', '+')])
    .flatMap((form) => [form, lower(form)])
}

function inBase64(text: string): string[] {
  const whole = Buffer.from(text).toString('base64')
  // `base64` and `openssl` break lines.
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

/** As JSON writes it, some with more escapes than they need; and between the quotes of a shell. */
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
