// Tokens with a known prefix: one table, both for finding them in files and for masking them in output.

export interface TokenShape {
  readonly rule: string
  readonly says: string
  readonly prefixes: readonly string[]
  /** Characters of the rest, as in the brackets of a regular expression. */
  readonly of: string
  readonly least: number
  /** The rest has exactly `least` characters. */
  readonly isExact?: boolean
  /** Other texts have this prefix too, so it must be at the beginning of a word. */
  readonly isWord?: boolean
  /** Masked in output, but not a secret by itself in a file. */
  readonly isName?: boolean
}

const word = 'A-Za-z0-9'
const wide = 'A-Za-z0-9_-'
const hex = 'a-f0-9'

export const tokenShapes: readonly TokenShape[] = [
  {
    rule: 'github-token',
    says: 'a GitHub token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    of: `${word}_`,
    least: 36,
  },
  { rule: 'github-token', says: 'a GitHub token', prefixes: ['github_pat_'], of: `${word}_`, least: 50 },
  {
    rule: 'gitlab-token',
    says: 'a GitLab token',
    prefixes: ['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glft-', 'glimt-', 'glsoat-', 'glagent-', 'gloas-'],
    of: `.${wide}`,
    least: 20,
  },
  {
    rule: 'aws-access-key-id',
    says: 'an AWS access key id',
    prefixes: ['AKIA', 'ASIA'],
    of: 'A-Z0-9',
    least: 16,
    isExact: true,
    isWord: true,
    isName: true,
  },
  {
    rule: 'slack-token',
    says: 'a Slack token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxr-', 'xoxs-', 'xoxe-', 'xoxe.', 'xoxc-', 'xoxd-', 'xapp-'],
    of: `${word}.%-`,
    least: 10,
  },
  { rule: 'npm-token', says: 'an npm token', prefixes: ['npm_'], of: word, least: 36 },
  { rule: 'pypi-token', says: 'a PyPI token', prefixes: ['pypi-AgE'], of: wide, least: 50 },
  { rule: 'stripe-key', says: 'a live Stripe key', prefixes: ['sk_live_', 'rk_live_'], of: word, least: 16 },
  { rule: 'stripe-key', says: 'a Stripe webhook secret', prefixes: ['whsec_'], of: `${word}+/=`, least: 32 },
  {
    rule: 'google-api-key',
    says: 'a Google API key',
    prefixes: ['AIza'],
    of: wide,
    least: 35,
    isExact: true,
    isWord: true,
  },
  {
    rule: 'google-oauth-token',
    says: 'a Google OAuth token',
    prefixes: ['ya29.'],
    of: `.${wide}`,
    least: 20,
    isWord: true,
  },
  { rule: 'google-oauth-secret', says: 'a Google OAuth client secret', prefixes: ['GOCSPX-'], of: wide, least: 28 },
  {
    rule: 'openai-key',
    says: 'an OpenAI key',
    prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    of: wide,
    least: 40,
    isWord: true,
  },
  { rule: 'openai-key', says: 'an OpenAI key', prefixes: ['sk-'], of: word, least: 40, isWord: true },
  { rule: 'anthropic-key', says: 'an Anthropic key', prefixes: ['sk-ant-'], of: wide, least: 40, isWord: true },
  { rule: 'openrouter-key', says: 'an OpenRouter key', prefixes: ['sk-or-v1-'], of: hex, least: 40, isWord: true },
  { rule: 'docker-token', says: 'a Docker Hub token', prefixes: ['dckr_pat_', 'dckr_oat_'], of: wide, least: 20 },
  {
    rule: 'hugging-face-token',
    says: 'a Hugging Face token',
    prefixes: ['hf_'],
    of: word,
    least: 34,
    isExact: true,
    isWord: true,
  },
  {
    rule: 'digitalocean-token',
    says: 'a DigitalOcean token',
    prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    of: hex,
    least: 64,
  },
  { rule: 'heroku-key', says: 'a Heroku key', prefixes: ['HRKU-'], of: wide, least: 30, isWord: true },
  { rule: 'sendgrid-key', says: 'a SendGrid key', prefixes: ['SG.'], of: `.${wide}`, least: 60, isWord: true },
  {
    rule: 'shopify-token',
    says: 'a Shopify token',
    prefixes: ['shppa_', 'shpca_', 'shpat_', 'shpss_'],
    of: word,
    least: 32,
  },
  { rule: 'vault-token', says: 'a Vault token', prefixes: ['hvs.', 'hvb.', 'hvr.'], of: wide, least: 60, isWord: true },
  {
    rule: 'grafana-token',
    says: 'a Grafana token',
    prefixes: ['glc_', 'glsa_'],
    of: `${word}_+/=`,
    least: 32,
    isWord: true,
  },
  { rule: 'linear-key', says: 'a Linear key', prefixes: ['lin_api_'], of: `${word}_`, least: 32 },
  { rule: 'notion-token', says: 'a Notion token', prefixes: ['ntn_'], of: word, least: 40, isWord: true },
  {
    rule: 'vercel-token',
    says: 'a Vercel token',
    prefixes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    of: word,
    least: 24,
    isWord: true,
  },
  { rule: 'figma-token', says: 'a Figma token', prefixes: ['figd_'], of: wide, least: 40, isWord: true },
  { rule: 'groq-key', says: 'a Groq key', prefixes: ['gsk_'], of: word, least: 50, isWord: true },
  {
    rule: 'databricks-token',
    says: 'a Databricks token',
    prefixes: ['dapi'],
    of: hex,
    least: 32,
    isExact: true,
    isWord: true,
  },
  { rule: 'onepassword-token', says: 'a 1Password token', prefixes: ['ops_ey'], of: `${word}+/=`, least: 100 },
  { rule: 'rubygems-key', says: 'a RubyGems key', prefixes: ['rubygems_'], of: hex, least: 48 },
  { rule: 'sentry-token', says: 'a Sentry token', prefixes: ['sntrys_', 'sntryu_'], of: `${word}_=+/`, least: 40 },
  { rule: 'pulumi-token', says: 'a Pulumi token', prefixes: ['pul-'], of: hex, least: 40, isExact: true, isWord: true },
  { rule: 'postman-key', says: 'a Postman key', prefixes: ['PMAK-'], of: `${hex}-`, least: 40, isWord: true },
  { rule: 'new-relic-key', says: 'a New Relic key', prefixes: ['NRAK-'], of: word, least: 27, isWord: true },
  { rule: 'supabase-token', says: 'a Supabase token', prefixes: ['sbp_'], of: hex, least: 40, isWord: true },
  {
    rule: 'replicate-token',
    says: 'a Replicate token',
    prefixes: ['r8_'],
    of: word,
    least: 37,
    isExact: true,
    isWord: true,
  },
  {
    rule: 'age-key',
    says: 'an age secret key',
    prefixes: ['AGE-SECRET-KEY-1', 'AGE-PLUGIN-'],
    of: 'A-Z0-9-',
    least: 50,
  },
]

/**
 * A word begins after any character except letters and digits, or after an escape such as `
 * ` or a terminal colour.
 */
const wordStart = String.raw`(?:^|[^A-Za-z0-9_]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[\d;]{0,20}m)`

export const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/**
 * Source of an expression. The text before the prefix is checked in a lookbehind after it: searching for literal text
 * first is the fast way.
 */
export function tokenPattern({ prefixes, of, least, isExact = false, isWord = false }: TokenShape): string {
  const names = `(?:${prefixes.map(escapeRegex).join('|')})`
  return `${names}${isWord ? `(?<=${wordStart}${names})` : ''}[${of}]{${least}${isExact ? `}(?![${of}])` : ',}'}`
}

/**
 * The first two parts of a JSON Web Token. None begins after `-`: otherwise a run of `eyJ` would be scanned to its end
 * from each of them.
 */
export const webToken = String.raw`eyJ(?<=${wordStart}eyJ)(?<!-eyJ)[\w-]{8,4096}\.eyJ[\w-]{4,16384}`

/** The first line of a private key. */
export const keyHead = '-----BEGIN[ ]?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'

/**
 * All matches of a global expression. `matchAll` copies the expression for each text and recompiles it, which takes
 * longer than searching a line.
 */
export function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    if (match[0] === '') pattern.lastIndex += 1
  }
  return found
}
