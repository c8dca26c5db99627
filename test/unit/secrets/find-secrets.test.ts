import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSecrets, mayHoldSecrets, secretFile } from '../../../src/secrets/find-secrets.ts'
import { addresses, dashes, drawn, keyBlock, others, tokens, webToken } from '../../helpers/drawn-secrets.ts'

const all = [...tokens, ...addresses, ...others]

test.for(all)('finds $name', async ({ text, secret, path = 'src/a.ts' }) => {
  const found = await findSecrets(`first line\nbefore: ${text}\nafter`, path)
  expect(found.length).toBeGreaterThan(0)
  expect(found.some(({ value }) => value.includes(secret) || secret.includes(value))).toBe(true)
  for (const { message } of found) expect(message).not.toContain(secret.slice(0, 12))
})

test.for(all)('the prefilter lets $name through, wherever it is', ({ text, path = 'src/a.ts' }) => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300, unit: 'binary' }),
      fc.string({ maxLength: 300 }),
      fc.constantFrom(' ', '\n', '"', '(', '→', '='),
      (before, after, edge) => {
        expect(mayHoldSecrets(Buffer.from(`${before}${edge}${text}${edge}${after}`), path)).toBe(true)
        expect(mayHoldSecrets(Buffer.from(`${text}\n${after}`), path)).toBe(true)
        expect(mayHoldSecrets(Buffer.from(`${before}\n${text}`), path)).toBe(true)
      },
    ),
    { numRuns: 15 },
  )
})

test('where the prefilter says no nothing is found, in texts made of parts of secrets', async () => {
  const parts = fc.constantFrom(
    ...all.flatMap(({ text }) => [text, text.slice(0, 12), text.slice(5, 30)]),
    ' ',
    '\n',
    '"',
    "'",
    '=',
    ':',
    '://',
    '@',
    'secret',
    'token',
    'Bearer ',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 12 }), fc.constantFrom('a.ts', 'a.yml', '.npmrc', 'package.json'), async (pieces, path) => {
      const text = pieces.join('')
      if (!mayHoldSecrets(Buffer.from(text), path)) expect(await findSecrets(text, path)).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test('says where it is', async () => {
  const [github] = tokens
  const found = await findSecrets(`one\ntwo\n  x = ${github?.secret}\n`, 'a.ts')
  expect(found).toEqual([{ rule: 'secretlint-github', message: expect.stringContaining('GitHub'), line: 3, column: 7, value: github?.secret }])
})

test('comments that turn secretlint off do not', async () => {
  expect(await findSecrets(`// secretlint-disable\nx = '${tokens[0]?.secret}'\n`, 'a.ts')).toHaveLength(1)
})

describe('is quiet about', () => {
  const password = 'password'
  const token = 'token'
  const quiet: readonly (readonly [string, string, string?])[] = [
    [
      'placeholders',
      ['changeme', 'xxxxxxxxxxxxxxxx', '<token>', '${PASSWORD}', '{{ password }}', 'your-api-key-1234', 'example', 'test1234', 'dummy-token-0001']
        .map((value) => `${password} = "${value}"`)
        .join('\n'),
    ],
    ['variables', `const ${token} = process.env.API_TOKEN_2\n${password}: os.environ["DB_PASSWORD1"]\n`],
    ['the same character', `${token}: '${'a'.repeat(40)}'`],
    ['words', `${password}: "some words with spaces 12"\n${token}: 'punctuation.definition.string.begin.v2'\n${token}Type: 'access_token_2024'`],
    ['types', `${password}: string\n${token}?: AccessToken2\nsecret: Record<string, Uint8Array>`],
    ['lock files', `"integrity": "sha512-${drawn('base64', 86)}=="\n"resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"`, 'package-lock.json'],
    ['commits and UUIDs', `commit ${drawn('hex', 40)}\n${token}: '${[8, 4, 4, 4, 12].map((size) => drawn('hex', size)).join('-')}'`],
    ['public keys', `ssh-rsa AAAA${drawn('base64', 200)} me@host\n-----BEGIN PUBLIC KEY-----\n${drawn('base64', 64)}\n-----END PUBLIC KEY-----`],
    ['certificates', `-----BEGIN CERTIFICATE-----\nMII${drawn('base64', 60)}\n${drawn('base64', 64)}\n-----END CERTIFICATE-----`],
    ['keys that are cut short', `${dashes}BEGIN RSA PRIVATE KEY${dashes}\nMIIE...\n${dashes}END RSA PRIVATE KEY${dashes}`],
    [
      'addresses of developers',
      [
        'postgres://user:password@localhost/db',
        'redis://:secret@127.0.0.1',
        'https://user:pass@example.com',
        'mysql://root:root@db:3306',
        'https://${USER}:${PASS}@host.io',
        'http://localhost:3000/@scope/a',
      ].join('\n'),
    ],
    ['names of variables', 'npm_config_registry_of_the_whole_company_1'],
    [
      'an example of a web token',
      `${Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')}.${Buffer.from('{"sub":"1234567890","name":"John Doe"}').toString('base64url')}.${drawn('word', 43)}`,
    ],
    ['tokens of examples', `ghp_${'x'.repeat(36)} sk_live_${'EXAMPLE'.repeat(4)}7 glpat-${'your-token-'.repeat(3)}1`],
  ]
  test.for(quiet)('%s', async ([, text, path]) => {
    expect(await findSecrets(text, path ?? 'src/a.ts')).toEqual([])
  })
})

describe('large and odd files', () => {
  test('one over 16 MiB is looked at where something may be', async () => {
    const line = 'const value = compute(index, other) // nothing to see here\n'
    const filler = line.repeat(Math.ceil((9 * 1024 * 1024) / line.length))
    const found = await findSecrets(`${filler}x = '${tokens[0]?.secret}'\n${filler}${keyBlock('RSA ')}\n`, 'a.ts')
    expect(found.map(({ line: at }) => at)).toEqual([filler.split('\n').length, 2 * filler.split('\n').length])
  })

  test('binary files are looked at for keys and tokens, not for assignments', async () => {
    const [assignment] = others
    expect(await findSecrets(`\0\0\0 ${assignment?.text} \0`, 'a.bin')).toEqual([])
    expect(await findSecrets(`\0\0\0 ${tokens[0]?.text} \0`, 'a.bin')).toHaveLength(1)
    expect(await findSecrets(`\0\0\0\n${keyBlock('EC ')}\n\0`, 'a.bin')).toHaveLength(1)
  })

  test('text in UTF-16 is read', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`${tokens[0]?.text}\n`, 'utf16le')])
    expect(mayHoldSecrets(bytes, 'a.txt')).toBe(true)
    expect(await findSecrets(bytes.toString(), 'a.txt')).toHaveLength(1)
  })

  test('hostile texts take no longer than others', async () => {
    const hostile = ['-----BEGIN ', 'eyJ-', 'a://b:', 'token="', 'xoxb-1-', 'AKIA', 'hooks.slack.com/', 'password: string = ', `${'a'.repeat(50)}.`, '<token>']
    const before = process.cpuUsage()
    for (const part of hostile) await findSecrets(part.repeat(60_000 / part.length), 'a.yml')
    expect(process.cpuUsage(before).user).toBeLessThan(4_000_000)
  })
})

describe('by name', () => {
  const key = Buffer.from(keyBlock('RSA '))
  const bytes = Buffer.from('A=1\n')
  test.for(['.env', 'app/.env.local', '.env.production', '.envrc', '.pgpass', '.git-credentials'])('%s is one', (path) => {
    expect(secretFile(path)).toBeDefined()
    expect(secretFile(path, bytes)).toBeDefined()
    expect(secretFile(path, Buffer.alloc(0))).toBeUndefined()
    expect(mayHoldSecrets(bytes, path)).toBe(true)
  })

  test.for([
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.dist',
    '.env.production.example',
    'env.ts',
    'id_rsa.pub',
    'a.env.ts',
    'kubeconfig.md/x',
    '.npmrc',
    'a.pem',
    'credentials.json',
  ])('%s is none', (path) => {
    expect(secretFile(path)).toBeUndefined()
    expect(secretFile(path, bytes)).toBeUndefined()
  })

  test.for(['id_rsa', '.ssh/id_ed25519', 'server.pem', 'tls/server.key', 'a.ppk'])('%s is one when it is a private key', (path) => {
    expect(secretFile(path, key)).toBeDefined()
    expect(secretFile(path, Buffer.from('-----BEGIN CERTIFICATE-----\n'))).toBeUndefined()
  })

  test.for(['a.p12', 'a.pfx', 'release.jks', 'debug.keystore'])('%s is one when it is binary', (path) => {
    expect(secretFile(path, Buffer.from([0x30, 0x82, 0, 1]))).toBeDefined()
    expect(secretFile(path, bytes)).toBeUndefined()
  })

  test('some are by what they hold', () => {
    expect(secretFile('.npmrc', Buffer.from(`//r/:_authToken=${drawn('word', 20)}`))).toBeDefined()
    expect(secretFile('.npmrc', Buffer.from(`//r/:_authToken=\${NPM_TOKEN}`))).toBeUndefined()
    expect(secretFile('credentials.json', Buffer.from(JSON.stringify({ private_key: keyBlock('') })))).toBeDefined()
    expect(secretFile('kubeconfig', Buffer.from(`client-key-data: abc`))).toBeDefined()
    expect(secretFile('.kube/config', Buffer.from('clusters: []'))).toBeUndefined()
    expect(secretFile('.netrc', Buffer.from(`machine a login b password c`))).toBeDefined()
  })

  test('its path is the value of the finding', async () => {
    expect(await findSecrets('PORT=3000\n', 'app/.env')).toEqual([
      { rule: 'file-name', message: 'by its name it is an environment file', line: 1, column: 1, value: 'app/.env' },
    ])
  })
})

test('a token of the web is found once', async () => {
  expect(await findSecrets(`Authorization: Bearer ${webToken()}`, 'a.txt')).toHaveLength(1)
})
