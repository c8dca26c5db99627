// Files that are secrets by their name, or by their name and first bytes.

interface Kind {
  readonly name: RegExp
  readonly reason: string
  readonly holds: (bytes: Uint8Array) => boolean
  /** Harmless files have this name too, so the content decides. */
  readonly isCommon?: boolean
}

const beginning = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8192)).toString('latin1')
const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8192).includes(0)
const hasPrivateKey = (bytes: Uint8Array): boolean => /PRIVATE KEY|PuTTY-User-Key-File/.test(beginning(bytes))
const isStore = (bytes: Uint8Array): boolean => isBinary(bytes) || hasPrivateKey(bytes)
const isFilled = (bytes: Uint8Array): boolean => /[^\s]/.test(beginning(bytes))

const kinds: readonly Kind[] = [
  // `.env.example` and the like are meant to be shared.
  {
    name: /^\.env(?:rc)?(?:\.(?!.*(?:example|sample|template|dist|defaults?|schema|tpl|tmpl)\b)[\w.-]+)?$/i,
    reason: 'an environment file',
    holds: isFilled,
  },
  { name: /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?$/, reason: 'a private SSH key', holds: isStore },
  { name: /^[._]netrc$/, reason: 'passwords for hosts', holds: (bytes) => /\bpassword\s+\S/.test(beginning(bytes)) },
  { name: /^\.?pgpass(?:\.conf)?$/, reason: 'passwords for databases', holds: isFilled },
  { name: /^\.git-credentials$/, reason: 'passwords for Git', holds: isFilled },
  {
    name: /^\.?(?:pem|[^/]+\.(?:pem|key|ppk))$/i,
    reason: 'a private key',
    holds: (bytes) => hasPrivateKey(bytes),
    isCommon: true,
  },
  { name: /\.(?:p12|pfx|jks|keystore|bks|kdbx)$/i, reason: 'a key store', holds: isStore },
  {
    name: /^\.npmrc$/,
    reason: 'an npm registry token',
    holds: (bytes) => /_(?:authToken|auth|password)\s*=\s*[^\s$]/.test(beginning(bytes)),
    isCommon: true,
  },
  {
    name: /^\.pypirc$/,
    reason: 'a PyPI password',
    holds: (bytes) => /^\s*password\s*[=:]\s*[^\s%$]/m.test(beginning(bytes)),
    isCommon: true,
  },
  {
    name: /^(?:credentials|service[-_]?account|.*-[0-9a-f]{12})\.json$/i,
    reason: 'Google service account credentials',
    holds: (bytes) => /"private_key"\s*:\s*"-{5}BEGIN/.test(beginning(bytes)),
    isCommon: true,
  },
  {
    name: /^(?:kubeconfig(?:\.ya?ml)?|[^/]*\.kubeconfig)$|^\.kube\/config$/,
    reason: 'Kubernetes cluster credentials',
    holds: (bytes) => /client-key-data|\b(?:token|password):\s*\S/.test(beginning(bytes)),
  },
]

/** The reason why a file should not be committed, by its name and, if given, its content. */
export function secretFile(path: string, bytes?: Uint8Array): string | undefined {
  const parts = path.split('/')
  const names = [parts.at(-1) ?? '', parts.slice(-2).join('/')]
  const kind = kinds.find(({ name }) => names.some((each) => name.test(each)))
  if (kind === undefined) return undefined
  return (bytes === undefined ? kind.isCommon !== true : kind.holds(bytes)) ? kind.reason : undefined
}
