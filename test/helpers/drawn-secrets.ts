// Fake secrets: generated from a fixed seed and assembled here, so that no file contains one.

const lower = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
export const alphabets = {
  word: `${lower}${lower.toUpperCase()}${digits}`,
  upper: `${lower.toUpperCase()}${digits}`,
  hex: `${digits}abcdef`,
  base64: `${lower}${lower.toUpperCase()}${digits}+/`,
  letters: `${lower}${lower.toUpperCase()}`,
}

/** Pseudo-random characters, the same in every run. */
export function drawn(alphabet: keyof typeof alphabets, length: number, start = 7): string {
  const letters = alphabets[alphabet]
  let state = start * 2654435761 + length
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return letters[(state >>> 8) % letters.length]
  }).join('')
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
export const webToken = (start = 7): string =>
  [
    base64url({ alg: 'RS256', kid: drawn('hex', 8, start) }),
    base64url({ sub: drawn('word', 20, start), exp: 1_900_000_000 }),
    drawn('word', 86, start),
  ].join('.')

export const dashes = '-'.repeat(5)
/** `kind` is what stands before PRIVATE KEY, with its blank. */
export function keyBlock(kind: string, end = ''): string {
  const body = [
    'MI' + drawn('base64', 62),
    ...[1, 2, 3].map((line) => drawn('base64', 64, line)),
    `${drawn('base64', 20)}==`,
  ].join('\n')
  const name = `${kind}PRIVATE KEY${end}`
  return `${dashes}BEGIN ${name}${dashes}\n${body}\n${dashes}END ${name}${dashes}`
}

export interface Example {
  /** A rule of ours, or one of secretlint that comes first. */
  readonly name: string
  readonly secret: string
  /** The text in which it is a secret. */
  readonly text: string
  readonly path?: string
}

const plain = (name: string, prefix: string, rest: string): Example => ({
  name,
  secret: prefix + rest,
  text: prefix + rest,
})

/** Tokens that are known by how they begin, and are masked in output too. */
export const tokens: readonly Example[] = [
  ...['p', 'o', 'u', 's', 'r'].map((kind) => plain(`github ${kind}`, `gh${kind}_`, drawn('word', 36))),
  plain('github fine-grained', 'github_pat_', `${drawn('word', 22)}_${drawn('word', 59)}`),
  plain('gitlab', 'glpat-', drawn('word', 20)),
  plain('slack bot', 'xoxb-', `${drawn('hex', 12).replace(/[a-f]/g, '7')}-${drawn('word', 24)}`),
  plain('slack app', 'xapp-', `1-${drawn('upper', 11)}-${drawn('hex', 13).replace(/[a-f]/g, '4')}-${drawn('hex', 64)}`),
  plain('npm', 'npm_', drawn('word', 36)),
  plain('pypi', 'pypi-AgEIcHlwaS5vcmc', drawn('word', 120)),
  plain('stripe', 'sk_live_', drawn('word', 24)),
  plain('stripe restricted', 'rk_live_', drawn('word', 24)),
  plain('google api', 'AIza', drawn('word', 35)),
  plain('google oauth', 'ya29.', drawn('word', 60)),
  plain('openai project', 'sk-proj-', drawn('word', 74)),
  plain('openai', 'sk-', `${drawn('word', 20)}T3BlbkFJ${drawn('word', 20, 9)}`),
  plain('anthropic', 'sk-ant-api03-', `${drawn('word', 93)}AA`),
  plain('docker', 'dckr_pat_', drawn('word', 27)),
  plain('hugging face', 'hf_', drawn('word', 34)),
  plain('digitalocean', 'dop_v1_', drawn('hex', 64)),
  plain('heroku', 'HRKU-', drawn('word', 58)),
  plain('sendgrid', 'SG.', `${drawn('word', 22)}.${drawn('word', 43)}`),
  plain('shopify', 'shpat_', drawn('hex', 32)),
  plain('vault', 'hvs.', drawn('word', 95)),
  plain('grafana', 'glsa_', `${drawn('word', 32)}_${drawn('hex', 8)}`),
  plain('linear', 'lin_api_', drawn('word', 40)),
  plain('notion', 'ntn_', `73019284655${drawn('word', 35)}`),
  plain('vercel', 'vcp_', drawn('word', 40)),
  plain('figma', 'figd_', drawn('word', 43)),
  plain('groq', 'gsk_', drawn('word', 52)),
  plain('databricks', 'dapi', drawn('hex', 32)),
  plain('1password', 'ops_ey', `${drawn('word', 150)}fQ`),
  plain('age', 'AGE-SECRET-KEY-1', drawn('upper', 58)),
  plain('rubygems', 'rubygems_', drawn('hex', 48)),
  plain('replicate', 'r8_', drawn('word', 37)),
  { name: 'jwt', secret: webToken(), text: webToken() },
]

const userAt = (scheme: string, user: string, password: string, host: string): Example => ({
  name: `${scheme} address`,
  secret: password,
  text: `${scheme}://${user}:${password}@${host}/path`,
})

export const addresses: readonly Example[] = [
  userAt('https', 'deploy', drawn('word', 12), 'git.acme.io'),
  userAt('postgres', 'app', drawn('word', 14), 'db1.acme.io:5432'),
  userAt('mongodb+srv', 'app', drawn('word', 14), 'cluster0.acme.mongodb.net'),
  userAt('redis', '', drawn('word', 20), 'cache.acme.io'),
  userAt('amqp', 'svc', drawn('word', 10), 'mq.acme.io'),
]

const inText = (name: string, secret: string, text: (secret: string) => string, path?: string): Example => ({
  name,
  secret,
  text: text(secret),
  ...(path === undefined ? {} : { path }),
})

/** Found in files. */
export const others: readonly Example[] = [
  inText('quoted key', drawn('word', 32), (value) => `const apiKey = '${value}'`),
  inText('typed key', drawn('word', 32), (value) => `  private readonly accessToken: string = "${value}"`),
  inText('json key', drawn('hex', 40), (value) => `{"client_secret": "${value}"}`),
  inText('php key', drawn('word', 24), (value) => `'api_key' => '${value}',`),
  inText('escaped json', drawn('word', 24), (value) => `"{\\"token\\":\\"${value}\\"}"`),
  inText('password', `Zq7!${drawn('word', 8)}`, (value) => `db_password := "${value}"`),
  inText('short name', `Zq7!${drawn('word', 8)}`, (value) => `"pwd": "${value}"`),
  inText('element', `Zq7!${drawn('word', 8)}`, (value) => `<password>${value}</password>`),
  inText('environment', drawn('word', 30), (value) => `export SERVICE_TOKEN=${value}`, 'deploy.sh'),
  inText('yaml', drawn('word', 30), (value) => `secret_key: ${value}`, 'config.yml'),
  inText('bearer', drawn('word', 40), (value) => `curl -H "Authorization: Bearer ${value}"`),
  inText(
    'basic',
    Buffer.from(`deploy:${drawn('word', 16)}`).toString('base64'),
    (value) => `Authorization: Basic ${value}`,
  ),
  inText('telegram', `7301928465:AA${drawn('word', 33)}`, (value) => `bot(${value})`),
  inText(
    'discord',
    `${Buffer.from('730192846573019284').toString('base64')}.${drawn('word', 6)}.${drawn('word', 38)}`,
    (value) => `DISCORD_BOT="${value}"`,
  ),
  inText('twilio', `SK${drawn('hex', 32)}`, (value) => `twilio = Client(account, '${value}')`),
  inText('crates', `cio${drawn('word', 32)}`, (value) => `cargo login ${value}`),
  inText(
    'azure storage',
    `${drawn('base64', 86)}==`,
    (value) => `AccountName=acme;AccountKey=${value};EndpointSuffix=core.windows.net`,
  ),
  inText('azure bus', `${drawn('base64', 43)}=`, (value) => `SharedAccessKey=${value}`),
  inText('kubernetes', drawn('base64', 120), (value) => `    client-key-data: ${value}`),
  inText('npmrc', drawn('word', 36), (value) => `//registry.acme.io/:_authToken=${value}`, '.npmrc'),
  inText('netrc', drawn('word', 14), (value) => `machine git.acme.io\n  login deploy\n  password ${value}`),
  inText('aws', drawn('base64', 40).replace(/[+/]/g, 'x'), (value) => `aws_secret_access_key = ${value}`),
  inText('aws pair', drawn('base64', 40, 3).replace(/[+/]/g, 'x'), (value) => `AKIA${drawn('upper', 16)},${value}`),
  inText('aws id', `AKIA${drawn('upper', 16).replace(/[0189]/g, '7')}`, (value) => `aws_access_key_id = ${value}`),
  inText(
    'registry',
    Buffer.from(`deploy:${drawn('word', 16)}`).toString('base64'),
    (value) => `{"auths":{"registry.acme.io":{"auth":"${value}"}}}`,
    'config.json',
  ),
  inText('token in base64', Buffer.from(`glpat-${drawn('word', 20)}`).toString('base64').slice(0, 24), (value) => `  value: "${value}${Buffer.from(`glpat-${drawn('word', 20)}`).toString('base64').slice(24)}"`), // prettier-ignore
  inText(
    'heroku uuid',
    [8, 4, 4, 4, 12].map((size) => drawn('hex', size)).join('-'),
    (value) => `HEROKU_API_KEY=${value}`,
  ),
  inText(
    'slack webhook',
    `hooks.slack.com/services/T${drawn('upper', 8)}/B${drawn('upper', 8)}/${drawn('word', 24)}`,
    (value) => `https://${value}`,
  ),
  ...['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED '].map((kind) =>
    inText(`${kind}key`, keyBlock(kind).split('\n')[2] ?? '', () => keyBlock(kind)),
  ),
  inText('PGP key', keyBlock('PGP ', ' BLOCK').split('\n')[2] ?? '', () => keyBlock('PGP ', ' BLOCK')),
  inText(
    'PEM in base64',
    Buffer.from(keyBlock('')).toString('base64').slice(0, 40),
    () => `  tls.key: ${Buffer.from(keyBlock('')).toString('base64')}`,
  ),
  inText('key in JSON', keyBlock('').split('\n')[2] ?? '', () => JSON.stringify({ private_key: keyBlock('') })),
]
