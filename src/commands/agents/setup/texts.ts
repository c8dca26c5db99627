// The texts of the files that are ours as a whole: those of templates/agents, in the form that each agent reads.

import { createHash } from 'node:crypto'
import { shippedText } from '../../../operation/templates.ts'

/** Tells a file that was edited by hand from one that another version of git plan wrote. */
const mark = 'git-plan-file'
const markLine = /^.*\bgit-plan-file ([0-9a-f]{16})\b.*\n?$/m
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

const comments = {
  md: (text: string) => `<!-- ${text} -->`,
  js: (text: string) => `// ${text}`,
  toml: (text: string) => `# ${text}`,
}

/** A last line with the checksum of the text before it. */
const marked = (text: string, kind: keyof typeof comments): string =>
  `${text}${comments[kind](`${mark} ${sumOf(text)}`)}\n`

/** `ours`: unchanged since some version of git plan wrote it. `changed`: ours, but edited since. */
export function authorOf(text: string): 'ours' | 'changed' | 'other' {
  const found = markLine.exec(text)
  if (found === null) return 'other'
  return sumOf(text.slice(0, found.index)) === found[1] && text.slice(found.index + found[0].length) === ''
    ? 'ours'
    : 'changed'
}

export const skillText = async (): Promise<string> => marked(await shippedText('agents/SKILL.md'), 'md')
export const openCodePlugin = async (): Promise<string> => marked(await shippedText('agents/opencode-plugin.js'), 'js')
export const openCodeAgent = async (): Promise<string> => marked(await shippedText('agents/opencode-agent.md'), 'md')
export const piExtension = async (): Promise<string> => marked(await shippedText('agents/pi-extension.ts'), 'js')
export const geminiPolicy = async (): Promise<string> => marked(await shippedText('agents/gemini-policy.toml'), 'toml')

export const slashCommands = ['plan', 'plans', 'safety'] as const
export type SlashCommand = (typeof slashCommands)[number]

/** The first line describes the command; `$ARGUMENTS` is what is typed after it. */
async function commandOf(name: SlashCommand): Promise<{ readonly description: string; readonly body: string }> {
  const text = await shippedText(`agents/commands/${name}.md`)
  const end = text.indexOf('\n')
  return { description: text.slice(0, end), body: text.slice(end).trimStart() }
}

export const commandForms = {
  /** Claude, opencode and pi. */
  frontMatter: async (name: SlashCommand): Promise<string> => {
    const { description, body } = await commandOf(name)
    return marked(`---\ndescription: ${description}\n---\n\n${body}`, 'md')
  },
  /** Cursor puts what is typed behind the text. */
  plain: async (name: SlashCommand): Promise<string> => {
    const { body } = await commandOf(name)
    return marked(body.replace('$ARGUMENTS', 'the text that follows'), 'md')
  },
  gemini: async (name: SlashCommand): Promise<string> => {
    const { description, body } = await commandOf(name)
    const prompt = body.replace('$ARGUMENTS', '{{args}}')
    return marked(`description = ${JSON.stringify(description)}\nprompt = '''\n${prompt}'''\n`, 'toml')
  },
}
