import { describe, expect, test, vi } from 'vitest'
import {
  findSecrets,
  findSecretsIn,
  mayBeSecrets,
  mostSecrets,
  secretFile,
  secretInName,
} from '../../../src/secrets/find-secrets.ts'
import { rules } from '../../../src/secrets/rules.ts'
import { addresses, dashes, drawn, keyBlock, others, tokens, webToken } from '../../helpers/drawn-secrets.ts'

const all = [...tokens, ...addresses, ...others]

test.for(all)('finds $name', async ({ text, secret, path = 'src/a.ts' }) => {
  const found = await findSecrets(`first line\nbefore: ${text}\nafter`, path)
  expect(found.length).toBeGreaterThan(0)
  expect(found.some(({ value }) => value.includes(secret) || secret.includes(value))).toBe(true)
  for (const { message } of found) expect(message).not.toContain(secret.slice(0, 12))
})

test('says where it is', async () => {
  const [github] = tokens
  const found = await findSecrets(`one\ntwo\n  x = ${github?.secret}\n`, 'a.ts')
  expect(found).toEqual([
    {
      rule: 'secretlint-github',
      message: expect.stringContaining('GitHub'),
      line: 3,
      column: 7,
      value: github?.secret,
    },
  ])
})

test('comments that turn secretlint off do not', async () => {
  expect(await findSecrets(`// secretlint-disable\nx = '${tokens[0]?.secret}'\n`, 'a.ts')).toHaveLength(1)
})

describe('in base64', () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64')
  const found = async (text: string, path = 'a.yml'): Promise<string[]> => {
    const bytes = Buffer.from(text)
    const secrets = await findSecretsIn(bytes, path)
    for (const { value } of secrets) expect(text).toContain(value)
    return secrets.map(({ message, line }) => `${line}: ${message}`)
  }
  // Two bytes of the prefixes with three are too few to be found behind others.
  const some = tokens.filter(({ text }) => /^[^_.-]{3}/.test(text))

  test.for(some)('$name, by itself and behind other text', async ({ text }) => {
    for (const before of ['', ' ', 'a\n', 'user: ']) {
      if (before !== '' && /^eyJ(?!hbGci|0eXAi)/.test(text)) continue
      expect(await found(`first\nvalue: "${encoded(`${before}${text}\n`)}"\n`), before).toHaveLength(1)
    }
  })

  test('a private key, in one line and in many, and none in a certificate', async () => {
    const key = encoded(`${keyBlock('RSA ')}\n`)
    expect(await found(`data:\n  tls.key: ${key}\n`)).toEqual(['2: it looks like a private key in base64'])
    expect(await found(`data:\n  tls.key: |\n    ${(key.match(/.{1,64}/g) ?? []).join('\n    ')}\n`)).toEqual([
      '3: it looks like a private key in base64',
    ])
    expect(
      await found(`data:\n  tls.crt: ${encoded(keyBlock('RSA ').replaceAll('RSA PRIVATE KEY', 'CERTIFICATE'))}\n`),
    ).toEqual([])
  })

  test('the address of a database, and the password of a registry, plain or encoded', async () => {
    expect(await found(`  url: ${encoded(`postgres://app:${drawn('word', 14)}@db1.acme.io/x`)}\n`)).toEqual([
      '1: it looks like a URL with a password in base64',
    ])
    expect(await found(`  url: ${encoded('https://git.acme.io/a/b/c/d')}\n`)).toEqual([])
    const docker = JSON.stringify({ auths: { 'registry.acme.io': { auth: encoded(`deploy:${drawn('word', 16)}`) } } })
    expect(await found(docker, 'config.json')).toEqual(['1: it looks like a container registry password'])
    expect(await found(`  .dockerconfigjson: ${encoded(docker)}\n`)).toEqual([
      '1: it looks like a container registry password in base64',
    ])
  })

  test('a manifest with placeholders is one, too', async () => {
    expect(
      await found(`data:\n  password: ${encoded('password123')}\n  token: ${encoded('change-me-please-now')}\n`),
    ).toEqual([])
    expect(await found(`data:\n  password: ${encoded(`Zq7!${drawn('word', 9)}`)}\n`)).toHaveLength(1)
  })

  test('a text that is made of nothing but beginnings has one finding at most', async () => {
    for (const part of ['ZXlK', 'Z2hwX2docF9n', 'LS0tLS1CRUdJTi', 'aHR0cHM6Ly', encoded(`ghp_${drawn('word', 38)}`)])
      expect((await found(part.repeat(60_000 / part.length))).length).toBeLessThanOrEqual(1)
  })
})

describe('in a name', () => {
  test.for(tokens)('$name', async ({ text }) => {
    expect(mayBeSecrets(['a.txt', `dir/x-${text}.txt`.replace('x-', '')])).toBe(true)
    expect(await secretInName(`dir/${text}.txt`)).toBeDefined()
  })

  test('what stands beside it is no part of it', () => {
    const encoded = Buffer.from(`AIza${drawn('word', 35)}`).toString('base64')
    expect(encoded).not.toContain('=')
    for (const names of [[encoded], [encoded, 'QUFB/a.txt'], ['a', encoded], [encoded, encoded]])
      expect(mayBeSecrets(names)).toBe(true)
    expect(mayBeSecrets([])).toBe(false)
  })

  test('words are none', async () => {
    const names = [
      'src/password.ts',
      'token=abc',
      'node_modules/secret-key/index.js',
      'docs/ghp_example.md',
      `objects/${drawn('hex', 38)}`,
      'sk-learn-model-of-the-whole-year-2024.md',
    ]
    for (const name of names) expect(await secretInName(name)).toBeUndefined()
  })
})

test('the id of an AWS key, but not in an address that was signed with it, nor an example', async () => {
  const id = `AKIA${drawn('upper', 16).replace(/[0189]/g, '7')}`
  expect(await findSecrets(`aws_access_key_id = ${id}\n`, 'credentials.txt')).toHaveLength(1)
  expect(
    await findSecrets(
      `https://b.s3.amazonaws.com/o?X-Amz-Credential=${id}%2F20240101\nAKIAIOSFODNN7EXAMPLE\nAKIA0000000000000000`,
      'a.ts',
    ),
  ).toEqual([])
})

describe('addresses with passwords', () => {
  const word = drawn('word', 8)
  test.for([
    `postgres://app:${word}@db.acme.io:5432/shop`,
    `mysql://root:${word}@server.acme.io/shop`,
    `postgresql://app:${word}@my.corp.io/shop`,
    `mongodb+srv://app:${word}(!)@cluster0.ab1cd.mongodb.net`,
    `amqps://svc:${word}[x]@10.1.2.3:5671/v`,
    `redis://:${word}@cache-1.acme.io:6379`,
    `postgres://user:${drawn('word', 14)}@prod.acme.io/shop`,
    `postgres://app:${drawn('word', 14)}@db:5432/shop`,
  ])('%s is refused', async (url) => {
    expect(await findSecrets(`url = "${url}"`, 'config.ts')).toHaveLength(1)
  })

  test.for([
    `postgres://app:${word}@db:5432/shop`,
    `mysql://root:${word}@mysql/shop`,
    `postgres://app:${word}@localhost/shop`,
    `redis://:${word}@redis:6379/0`,
    `http://user:${word}@host.com:8080/a`,
    `https://me:${word}@git.example.org/a.git`,
    `http://proxy:${word}@my-proxy.acme.io`,
    'https://a:{password}@acme.io/x',
    'http://user:pass[0]@acme.io',
  ])('%s is the setting of a developer, or an example', async (url) => {
    expect(await findSecrets(`url = "${url}"`, 'config.ts')).toEqual([])
  })
})

describe('is quiet about', () => {
  const password = 'password'
  const token = 'token'
  const quiet: readonly (readonly [string, string, string?])[] = [
    [
      'placeholders',
      [
        'changeme',
        'xxxxxxxxxxxxxxxx',
        '<token>',
        '${PASSWORD}',
        '{{ password }}',
        'your-api-key-1234',
        'example',
        'test1234',
        'dummy-token-0001',
      ]
        .map((value) => `${password} = "${value}"`)
        .join('\n'),
    ],
    ['variables', `const ${token} = process.env.API_TOKEN_2\n${password}: os.environ["DB_PASSWORD1"]\n`],
    ['the same character', `${token}: '${'a'.repeat(40)}'`],
    [
      'words',
      `${password}: "some words with spaces 12"\n${token}: 'punctuation.definition.string.begin.v2'\n${token}Type: 'access_token_2024'`,
    ],
    ['types', `${password}: string\n${token}?: AccessToken2\nsecret: Record<string, Uint8Array>`],
    [
      'lock files',
      `"integrity": "sha512-${drawn('base64', 86)}=="\n"resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"`,
      'package-lock.json',
    ],
    [
      'commits and UUIDs',
      `commit ${drawn('hex', 40)}\n${token}: '${[8, 4, 4, 4, 12].map((size) => drawn('hex', size)).join('-')}'`,
    ],
    [
      'public keys',
      `ssh-rsa AAAA${drawn('base64', 200)} me@host\n-----BEGIN PUBLIC KEY-----\n${drawn('base64', 64)}\n-----END PUBLIC KEY-----`,
    ],
    [
      'certificates',
      `-----BEGIN CERTIFICATE-----\nMII${drawn('base64', 60)}\n${drawn('base64', 64)}\n-----END CERTIFICATE-----`,
    ],
    [
      'keys that are cut short',
      `${dashes}BEGIN RSA PRIVATE KEY${dashes}\nMIIE...\n${dashes}END RSA PRIVATE KEY${dashes}`,
    ],
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

  const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
  const line = `first\nkey = '${tokens[0]?.text}'\n`
  test.for([
    ['with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), wide(line)]), 2],
    [
      'with its mark, behind other writing',
      Buffer.concat([Buffer.from([0xff, 0xfe]), wide(`${'日本語'.repeat(99)}\n${line}`)]),
      3,
    ],
    ['without its mark', wide(line), 2],
    ['big-endian with its mark', swapped(wide(`\ufeff${line}`)), 2],
    ['big-endian without its mark', swapped(wide(line)), 2],
    ['appended to a file in UTF-8', Buffer.concat([Buffer.from('plain text\n'.repeat(99)), wide(line)]), 1],
    [
      'in a program',
      Buffer.concat([
        Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 0]),
        Buffer.alloc(101),
        wide(`x${tokens[0]?.text}`),
        Buffer.alloc(50, 200),
      ]),
      1,
    ],
    [
      'at the end of big-endian text behind other writing',
      swapped(wide(`${'日本語'.repeat(99)} ${tokens[0]?.text}`)),
      1,
    ],
  ] as const)('text in UTF-16 is read: %s', async ([, bytes, at]) => {
    expect((await findSecretsIn(bytes, 'a.txt')).map(({ line, value }) => ({ line, value }))).toEqual([
      { line: at, value: tokens[0]?.secret },
    ])
  })

  test('assignments are found in text that is UTF-16 as a whole', async () => {
    expect(await findSecretsIn(wide(`${others[0]?.text}\n`), 'a.ts')).toHaveLength(1)
  })

  /** The lengths of all texts that a pattern was tried on. */
  async function lengthsTried(search: () => Promise<unknown>): Promise<number[]> {
    const spy = vi.spyOn(RegExp.prototype, 'exec')
    try {
      await search()
      return spy.mock.calls.map(([text]) => text.length)
    } finally {
      spy.mockRestore()
    }
  }
  const sum = (lengths: readonly number[]): number => lengths.reduce((a, b) => a + b, 0)

  test('1 MB of beginnings of tokens: no rule is given more than a piece, and the pieces are hardly more than the text', async () => {
    const bytes = Buffer.from('ghp_'.repeat(1024 * 256))
    const lengths = await lengthsTried(async () => expect(await findSecretsIn(bytes, 'a.txt')).toEqual([]))
    expect(lengths.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(40 * 1024)
    expect(sum(lengths) / bytes.length).toBeLessThan(4 * rules.length)
  })

  test('of 8 MB of tokens no more are found than anybody can look at', async () => {
    const line = `key ${tokens[0]?.text}\n`
    expect(await findSecrets(line.repeat((8 * 1024 * 1024) / line.length), 'a.txt')).toHaveLength(mostSecrets)
    expect(await findSecrets(line.repeat(mostSecrets - 1), 'a.txt')).toHaveLength(mostSecrets - 1)
  })

  test.for([
    '-----BEGIN ',
    'eyJ-',
    'a://b:',
    'token="',
    'xoxb-1-',
    'AKIA',
    'hooks.slack.com/',
    'password: string = ',
    `${'a'.repeat(50)}.`,
    '<token>',
  ])('60 kB of %j are hardly more work than other text', async (part) => {
    const text = part.repeat(60_000 / part.length)
    const lengths = await lengthsTried(() => findSecrets(text, 'a.yml'))
    expect(sum(lengths) / text.length).toBeLessThan(10 * rules.length)
  })
})

describe('by name', () => {
  const key = Buffer.from(keyBlock('RSA '))
  const bytes = Buffer.from('A=1\n')
  test.for(['.env', 'app/.env.local', '.env.production', '.envrc', '.pgpass', '.git-credentials'])(
    '%s is one',
    (path) => {
      expect(secretFile(path)).toBeDefined()
      expect(secretFile(path, bytes)).toBeDefined()
      expect(secretFile(path, Buffer.alloc(0))).toBeUndefined()
    },
  )

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

  test.for(['id_rsa', '.ssh/id_ed25519', 'server.pem', 'tls/server.key', 'a.ppk'])(
    '%s is one when it is a private key',
    (path) => {
      expect(secretFile(path, key)).toBeDefined()
      expect(secretFile(path, Buffer.from('-----BEGIN CERTIFICATE-----\n'))).toBeUndefined()
    },
  )

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
