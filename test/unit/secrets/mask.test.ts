import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { Redactor } from '../../../src/secrets/mask.ts'
import { addresses, dashes, drawn, keyBlock, others, tokens } from '../../helpers/drawn-secrets.ts'

/** What comes out when the text is cut at these places. */
function through(redactor: Redactor, text: string | Buffer, cuts: readonly number[] = []): Buffer {
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  const parts = places.slice(1).map((place, index) => redactor.push(bytes.subarray(places[index], place)))
  return Buffer.concat([...parts, redactor.end()])
}
const cuts = fc.array(fc.nat(), { maxLength: 8 })
const everywhere = (text: string | Buffer): number[] =>
  Array.from({ length: Buffer.byteLength(text) }, (_, place) => place)

const shown = [...tokens, ...addresses]
const headers = others.filter(({ text }) => /^(?:curl|Authorization)/.test(text))
const keys = others.filter(({ name }) => name.endsWith('key') && name !== 'quoted key' && !/json|typed|php/.test(name))

describe('what nobody declared', () => {
  test.for([...shown, ...headers])('$name is masked, however it is split', ({ text, secret }) => {
    fc.assert(
      fc.property(
        cuts,
        fc.constantFrom('', ' ', 'token=', '"', '\u001b[32m', 'got:\n', 'line\\n'),
        fc.constantFrom('', ' ', '\n', '"', '\u001b[0m'),
        (cuts, before, after) => {
          const printed = through(new Redactor([]), `${before}${text}${after}`, cuts).toString()
          expect(printed).toContain('[secret]')
          // A letter at its beginning may have been shown.
          expect(printed).not.toContain(secret.slice(4, 12))
          expect(printed).not.toContain(secret.slice(-8))
          expect(printed.startsWith(before)).toBe(true)
          expect(printed.endsWith(after)).toBe(true)
        },
      ),
      { numRuns: 25 },
    )
    const byBytes = through(new Redactor([]), `${text}\n`, everywhere(`${text}\n`)).toString()
    expect(byBytes).toContain('[secret]')
    expect(byBytes).not.toContain(secret.slice(4, 12))
  })

  test.for(keys)('$name is masked line by line, however it is split', ({ text }) => {
    const lines = text.includes('\n') ? text.split('\n').slice(1, -1) : text.split('\\n').slice(1, 3)
    fc.assert(
      fc.property(cuts, (cuts) => {
        const printed = through(new Redactor([]), `before\n${text}\nafter\n`, cuts).toString()
        for (const line of lines) expect(printed).not.toContain(line)
        expect(printed).toMatch(/^before\n[^]*-----BEGIN [^]*\[secret\][^]*-----END [^]*after\n$/)
      }),
      { numRuns: 40 },
    )
  })

  test('a key keeps its lines', () => {
    const text = `${keyBlock('RSA ')}\nnext\n`
    expect(through(new Redactor([]), text).toString()).toBe(text.replace(/^[A-Za-z0-9+/=]{12,}$/gm, '[secret]'))
  })

  test('what speaks of a key and is none is shown', () => {
    const text = `a.ts:1: '${dashes}BEGIN PRIVATE KEY${dashes}',\nsrc/some/long/path/to/a/file/that/has/no/other/signs/in/it\nREADME\n${dashes}BEGIN PRIVATE KEY${dashes}\nEnter pass phrase: `
    expect(through(new Redactor([]), text).toString()).toBe(text)
  })

  test('an access key id of AWS and an address with @ in its password', () => {
    const id = `AKIA${drawn('upper', 16)}`
    expect(new Redactor([]).text(`id ${id}, https://me:p@ss@host/x http://localhost:3000/@a/b`)).toBe(
      'id [secret], https://me:[secret]@host/x http://localhost:3000/@a/b',
    )
  })

  test('text() masks what a stream would, and keeps nothing', () => {
    const redactor = new Redactor([])
    const [github] = tokens
    expect(redactor.text(`x ${github?.text}`)).toBe('x [secret]')
    expect(redactor.push(Buffer.from('plain\n')).toString()).toBe('plain\n')
  })

  const long = [`ghp_${drawn('word', 5000)}`, `eyJ${drawn('word', 900)}.eyJ${drawn('word', 900)}.${drawn('word', 86)}`]
  test.for(long)('a secret that is longer than everything that is kept is masked whole: %#', (long) => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(through(new Redactor([]), `a ${long} b`, cuts).toString()).toMatch(/^a [ge]?\[secret\] b$/)
      }),
      { numRuns: 50 },
    )
    expect(through(new Redactor([]), `a ${long} b`, everywhere(long)).toString()).toMatch(/^a [ge]?\[secret\] b$/)
  })
})

describe('a secret with colours in its middle', () => {
  const [colour, reset] = ['\u001b[1;38;5;196m', '\u001b(B\u001b[m']
  const within: Readonly<Record<string, (text: string) => string>> = {
    'a colour in its middle': (text) => `${text.slice(0, 9)}${colour}${text.slice(9, 14)}${reset}${text.slice(14)}`,
    'a colour in its prefix': (text) => `${text.slice(0, 2)}${colour}${text.slice(2)}`,
    'a colour behind each letter': (text) => text.replace(/./g, (letter) => `${letter}${colour}`),
    'a link around its end': (text) =>
      `${text.slice(0, -9)}\u001b]8;;https://a.example/x\u0007${text.slice(-9)}\u001b]8;;\u001b\\`,
  }
  const visible = (text: string): string =>
    text.replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-9;]*m|\u001b\(B/g, '')
  const some = shown.filter(({ name }) => /^(github p|npm|aws|anthropic|jwt|google api|postgres address)$/.test(name))

  test.for(Object.entries(within))('%s', ([, spoil]) => {
    for (const { text, secret } of some) {
      const spoilt = text.replace(secret, spoil)
      expect(visible(spoilt)).toBe(text)
      // Where the bytes and the drawn text give away different parts, all of the line is masked.
      expect([`a ${text.replace(secret, '[secret]')} b`, '[secret]']).toContain(
        visible(new Redactor([]).text(`a ${spoilt} b`)),
      )
      fc.assert(
        fc.property(cuts, (cuts) => {
          const printed = visible(through(new Redactor([]), `a ${spoilt} b\n`, cuts).toString())
          expect(printed).toContain('[secret]')
          expect(printed).not.toContain(secret.slice(4, 12))
          expect(printed).not.toContain(secret.slice(-8))
          expect(printed).toMatch(/^(?:a [^]* b|\[secret\])\n$/)
        }),
        { numRuns: 5 },
      )
      expect(visible(through(new Redactor([]), `a ${spoilt}\n`, everywhere(`a ${spoilt}`)).toString())).not.toContain(
        secret.slice(4, 12),
      )
    }
    const value = 'hunter2/with+signs & more'
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(visible(through(new Redactor([value]), `a ${spoil(value)} b`, cuts).toString())).toMatch(
          /^a h?\[secret\] b$/,
        )
      }),
      { numRuns: 15 },
    )
  })

  test('a key whose lines have colours', () => {
    const text = keyBlock('RSA ').replace(/^.*$/gm, (line) => `${colour}${line.slice(0, 7)}${reset}${line.slice(7)}`)
    const printed = visible(through(new Redactor([]), `${text}\nnext\n`, [40, 200]).toString())
    expect(printed).toBe(`${keyBlock('RSA ').replace(/^[A-Za-z0-9+/=]{12,}$/gm, '[secret]')}\nnext\n`)
  })

  test('in the address of a link, and next to a colour', () => {
    const id = `AKIA${drawn('upper', 16)}`
    const text = `\u001b]8;;https://me:${drawn('word', 12)}@host/\u0007click\u001b]8;;\u0007 key${colour}${id}${reset}x`
    expect(new Redactor([]).text(text)).toBe(
      `\u001b]8;;https://me:[secret]@host/\u0007click\u001b]8;;\u0007 key${colour}[secret]${reset}x`,
    )
  })

  test('what is no secret comes out as it went in, with all its colours', () => {
    const parts = fc.constantFrom(
      'ok ',
      'gh',
      colour,
      reset,
      '\r',
      '\b',
      '\u001b',
      '[',
      ']',
      '\n',
      'npm ',
      '\0',
      '12',
      'https://',
      '\u0007',
      '\u001b]8;;',
      'é',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), cuts, (parts, cuts) => {
        const text = parts.join('')
        expect(through(new Redactor([]), text, cuts).toString()).toBe(text)
      }),
      { numRuns: 250 },
    )
  })
})

describe('a token in base64, or an address in an address', () => {
  const some = shown.filter(({ name }) =>
    /^(github p|github fine-grained|npm|anthropic|jwt|stripe|databricks|postgres address)$/.test(name),
  )
  const text = ({ text }: (typeof shown)[number]): string => text
  const encodings: Readonly<Record<string, (text: string, around: string) => string>> = {
    base64: (text, around) => Buffer.from(`${around}${text}${around}`).toString('base64'),
    base64url: (text, around) => Buffer.from(`${around}${text}${around}`).toString('base64url'),
  }

  test.for(Object.entries(encodings))('%s, by itself and within another text, however it is split', ([, encode]) => {
    for (const example of some) {
      // An address is one that begins a text.
      for (const around of example.name.endsWith('address') ? [''] : ['', ' ', 'x:', 'user: ']) {
        const encoded = encode(text(example), around)
        fc.assert(
          fc.property(cuts, (cuts) => {
            const printed = through(new Redactor([]), `key: ${encoded}\nnext: line\n`, cuts).toString()
            expect(printed).toContain('[secret]')
            expect(printed).toMatch(/^key: [^]*\nnext: line\n$/)
            const left = Buffer.from(printed.replace(/^key: |\[secret\]|\nnext: line\n$/g, ''), 'base64').toString(
              'latin1',
            )
            expect(left).not.toContain(example.secret.slice(2, 8))
            if (!example.name.endsWith('address')) expect(left.length).toBeLessThan(around.length * 2 + 6)
          }),
          { numRuns: 6 },
        )
        const byBytes = through(new Redactor([]), `${encoded}\n`, everywhere(encoded)).toString()
        expect(byBytes).not.toContain(encoded.slice(12, 24))
      }
    }
  })

  test('a private key, in one line and in many', () => {
    const encoded = Buffer.from(`${keyBlock('RSA ')}\n`).toString('base64')
    const wrapped = (encoded.match(/.{1,76}/g) ?? []).join('\n')
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(through(new Redactor([]), `data:\n  tls.key: ${encoded}\n  kind: x\n`, cuts).toString()).toMatch(
          /^data:\n {2}tls\.key: .{0,3}\[secret\]\n {2}kind: x\n$/,
        )
        const printed = through(new Redactor([]), `a\n${wrapped}\nDone in 3 s\n`, cuts).toString()
        expect(printed).toMatch(/^a\n.{0,3}(?:\[secret\]\n)+Done in 3 s\n$/)
        expect(printed.split('\n')).toHaveLength(wrapped.split('\n').length + 3)
      }),
      { numRuns: 60 },
    )
    const certificate = Buffer.from(keyBlock('RSA ').replaceAll('RSA PRIVATE KEY', 'CERTIFICATE')).toString('base64')
    expect(new Redactor([]).text(`tls.crt: ${certificate}`)).toBe(`tls.crt: ${certificate}`)
  })

  test('an address with a password within the address of another', () => {
    const inner = `https://deploy:${drawn('word', 12)}%21@git.acme.io/a.git`
    const url = `https://example.com/?to=${encodeURIComponent(inner)}&x=1`
    const expected = `https://example.com/?to=https%3A%2F%2Fdeploy%3A[secret]%40git.acme.io%2Fa.git&x=1`
    expect(new Redactor([]).text(url)).toBe(expected)
    for (const cut of everywhere(url)) expect(through(new Redactor([]), url, [cut]).toString()).toBe(expected)
    const plain = `https://example.com/?to=${encodeURIComponent('https://git.acme.io:8080/@scope/a')}`
    expect(new Redactor([]).text(plain)).toBe(plain)
  })
})

describe('what is no secret', () => {
  const words = fc.constantFrom(
    'npm ',
    'token: ',
    'https://',
    'user',
    '@',
    ':',
    '/',
    'ey',
    'sk-',
    'gh',
    '-----',
    'BEGIN ',
    'Authorization: ',
    'Basic ',
    'ok\n',
    '\r',
    'xox',
    '\0',
    'é',
    '12345',
    'AKI',
  )
  test('comes out as it went in, however it is split', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 12 })), { maxLength: 30 }), cuts, (parts, cuts) => {
        const text = parts.join('')
        // Not what looks like one.
        fc.pre(!/:\/\/[^]*:[^]*@|Authorization: +Basic +\S/.test(text))
        expect(through(new Redactor([]), text, cuts).toString()).toBe(Buffer.from(text).toString())
      }),
      { numRuns: 250 },
    )
  })

  test('bytes come out as they went in', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), cuts, (bytes, cuts) => {
        expect(through(new Redactor([]), Buffer.from(bytes), cuts).equals(Buffer.from(bytes))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test('a line is shown when it ends, and a part of one is held back', () => {
    const redactor = new Redactor([])
    expect(redactor.push(Buffer.from('one\ntwo')).toString()).toBe('one\n')
    expect(redactor.push(Buffer.from(' 10%\r')).toString()).toBe('two 10%\r')
    expect(redactor.push(Buffer.from('20%')).toString()).toBe('')
    expect(redactor.end().toString()).toBe('20%')
  })
})

/** The longest text that an expression was given. */
function longestGiven(work: () => void): number {
  const spy = vi.spyOn(RegExp.prototype, 'exec')
  try {
    work()
    return spy.mock.calls.reduce((longest, [text]) => Math.max(longest, text.length), 0)
  } finally {
    spy.mockRestore()
  }
}

test.each([
  'ghp_',
  'glpat-',
  'eyJa.',
  'eyJ-',
  'Z2hwX2docF9n',
  'https://a:',
  `${dashes}BEGIN PRIVATE KEY${dashes}`,
  `${dashes}BEGIN PRIVATE KEY${dashes}\nMI\n`,
  '\u001b[1m',
])('256 KiB of %j are looked at in bounded pieces, and no more than 40 KiB of them are held back', (part) => {
  const size = 256 * 1024
  const redactor = new Redactor(['hunter2!'])
  const text = part.repeat(size / part.length)
  const longest = longestGiven(() => {
    for (let at = 0; at < size; at += 64 * 1024) redactor.push(Buffer.from(text.slice(at, at + 64 * 1024)))
  })
  // A piece, decoded in four ways.
  expect(longest).toBeLessThanOrEqual(128 * 1024)
  expect(redactor.end().length).toBeLessThanOrEqual(40 * 1024)
})

describe('declared values', () => {
  const value = 'hunter2/with+signs & "quotes"'
  const forms: readonly (readonly [string, string])[] = [
    ['raw', value],
    ['base64', Buffer.from(value).toString('base64')],
    ['base64 in base64url', Buffer.from(`${value}???>>>`).toString('base64url')],
    ...[0, 1, 2, 3].map((before): [string, string] => [
      `base64 after ${before} bytes`,
      Buffer.from(`${'u'.repeat(before)}${value}:rest of it`).toString('base64'),
    ]),
    ['percent-encoded', encodeURIComponent(value)],
    ['percent-encoded in lower case', encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ['a form', new URLSearchParams({ a: value }).toString().slice(2)],
    ['hex', Buffer.from(value).toString('hex')],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    [
      'JSON with escapes',
      JSON.stringify(value)
        .slice(1, -1)
        .replaceAll('&', String.raw`\u0026`),
    ],
  ]
  test.for(forms)('%s is masked, however it is split', ([, form]) => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        const printed = through(new Redactor([value]), `before ${form} after`, cuts).toString()
        expect(printed).toMatch(/^before .{0,4}\[secret\].{0,20} after$/)
        expect(printed).not.toContain(form.slice(6, 18))
      }),
      { numRuns: 40 },
    )
  })

  test('any value, in any text, at any split', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 4, maxLength: 40, unit: 'grapheme' }),
        fc.string(),
        fc.string(),
        cuts,
        (secret, before, after, cuts) => {
          const printed = through(new Redactor([secret]), `${before}${secret}${after}`, cuts).toString()
          expect(printed).toContain('[secret]')
          fc.pre(!'[secret]'.includes(secret))
          expect(printed.includes(Buffer.from(secret).toString())).toBe(false)
        },
      ),
      { numRuns: 250 },
    )
  })

  test('values that overlap, and one within another, leave nothing', () => {
    const redactor = new Redactor(['abcdef', 'cdefgh', 'cde1'])
    expect(redactor.text('-abcdefgh-cde1-')).toBe('-[secret]-[secret]-')
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(through(redactor, '-abcdefgh-cde1-', cuts).toString()).toMatch(/^-(\[secret\]){1,2}-\[secret\]-$/)
      }),
    )
  })

  test('lines of a value are masked by themselves, and in wrapped base64', () => {
    const lines = `${drawn('word', 30)}\n${drawn('word', 31)}\n`
    expect(new Redactor([lines]).text(`a | ${lines.split('\n')[0]}\r\na | ${lines.split('\n')[1]}`)).toBe(
      'a | [secret]\r\na | [secret]',
    )
    const long = drawn('word', 200)
    const wrapped = (
      Buffer.from(long)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n')
    expect(new Redactor([long]).text(wrapped)).toBe(wrapped.replace(/.+/g, '[secret]'))
  })

  test('a value as long as a variable can be, and one of many lines', () => {
    const long = drawn('word', 120_000)
    expect(new Redactor([long]).text(`a ${long} b`) === 'a [secret] b').toBe(true)
    const lines = Array.from({ length: 2000 }, (_, line) => drawn('word', 50, line)).join('\n')
    expect(/^(?:\[secret\]\n?)+$/.test(new Redactor([lines]).text(lines))).toBe(true)
  })

  test('values under four characters are none', () => {
    expect(new Redactor(['abc', '']).text('abcabc')).toBe('abcabc')
  })

  test('a declared value that is a part of a token, and the other way round', () => {
    const token = `ghp_${drawn('word', 36)}`
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(through(new Redactor([token.slice(10, 30)]), `x ${token} y`, cuts).toString()).toMatch(
          /^x g?\[secret\] y$/,
        )
        expect(through(new Redactor([`${token.slice(20)}!tail`]), `x ${token}!tail y`, cuts).toString()).toMatch(
          /^x g?(\[secret\])+ y$/,
        )
      }),
    )
  })
})
