// autonomous-dev: `.claude/artifacts/<YYYYmmdd_HHMMSS>/`, a checkpoint and the artifacts of its agents.

import {
  UnreadableSource,
  type ImportFormat,
  type ImportInput,
  type ImportedState,
  type ImportedStep,
} from './format.ts'
import { isMap, keysAsList, readJson, restKeys, textIn, textsIn, tryJson, type Json } from './json.ts'
import { nameOf, Notes, quote } from './notes.ts'

/** The steps are a list in the code of the tool, with the artifact that each leaves. */
const agents: Readonly<Record<string, readonly string[]>> = {
  orchestrator: ['manifest'],
  researcher: ['research'],
  planner: ['architecture'],
  'test-master': ['test-plan', 'tests'],
  implementer: ['implementation'],
  reviewer: ['review'],
  'security-auditor': ['security'],
  'doc-master': ['docs'],
}
const required = ['version', 'agent', 'workflow_id', 'status']

interface Artifact {
  readonly path: string
  readonly value: Json
}

const isCheckpoint = (value: unknown): value is Json => isMap(value) && Array.isArray(value.completed_agents)
const isManifest = (value: unknown): value is Json =>
  isMap(value) && 'workflow_id' in value && ('request' in value || value.agent === 'orchestrator')

export const autonomousDev: ImportFormat = {
  name: 'autonomous-dev',
  tool: 'autonomous-dev',
  usual: '.claude/artifacts/<workflow>/',
  takesDirectory: true,
  recognizes({ files }) {
    const top = files.filter(({ path }) => !path.includes('/') && path.endsWith('.json'))
    const values = top.map(({ text }) => tryJson(text))
    if (values.some(isCheckpoint)) return 'certain'
    return top.some(({ path }, index) => path === 'manifest.json' && isManifest(values[index])) ? 'certain' : undefined
  },
  companions: () => [{ directory: '.', name: /\.(json|txt|md)$/ }],
  read(input) {
    const notes = new Notes()
    const { checkpoint, artifacts, others } = readFiles(input, notes)
    if (checkpoint === undefined && artifacts.size === 0)
      throw new UnreadableSource('there is neither a checkpoint.json nor a manifest.json')
    const manifest = artifacts.get('manifest')
    const done = textsIn(checkpoint?.value.completed_agents)
    const names = [...Object.keys(agents), ...done.filter((name) => !(name in agents))]
    for (const name of done.filter((each) => !(each in agents)))
      notes.unknown(`${quote(name)} is not an agent of autonomous-dev`, { file: 'checkpoint.json' })
    const steps = [...new Set(names)].map((name): ImportedStep => ({
      id: name,
      title: `Agent ${name}`,
      owner: name,
      text: artifactText(name, artifacts),
      ...stateOfAgent(name, { done, hasCheckpoint: checkpoint !== undefined, artifacts }, notes),
    }))
    reportCheckpoint(checkpoint, { done, artifacts, others }, notes)
    reportManifest(manifest, notes)
    reportArtifacts(checkpoint, artifacts, notes)
    for (const name of others) notes.lost('the content of the artifact is not carried over', { file: name })
    const request = textIn(manifest?.value.request)
    return {
      title: request?.split('\n')[0] ?? nameOf(input.location.replace(/\/(checkpoint|manifest)\.json$/, '')),
      ...(request === undefined ? {} : { request }),
      steps,
      notes: notes.all,
      prose: [manifest, checkpoint]
        .flatMap((each) =>
          each === undefined ? [] : [`\`${each.path}\`:`, keysAsList(each.value, restKeys(each.value, ['request']))],
        )
        .join('\n\n'),
    }
  },
}

function readFiles(
  { files }: ImportInput,
  notes: Notes,
): { checkpoint: Artifact | undefined; artifacts: ReadonlyMap<string, Artifact>; others: readonly string[] } {
  const artifacts = new Map<string, Artifact>()
  const others: string[] = []
  let checkpoint: Artifact | undefined
  for (const file of files.filter(({ path }) => !path.includes('/'))) {
    const name = file.path.replace(/\.json$/, '')
    if (name !== 'manifest' && name !== 'checkpoint') others.push(file.path)
    if (!file.path.endsWith('.json')) continue
    // Broken JSON of the checkpoint itself stops the import; any other file is named.
    const value = name === 'checkpoint' ? readJson(file).value : tryJson(file.text)
    if (!isMap(value)) notes.lost('it is not a JSON object and was not read', { file: file.path })
    else if (name === 'checkpoint' || isCheckpoint(value)) checkpoint = { path: file.path, value }
    else artifacts.set(name, { path: file.path, value })
  }
  return { checkpoint, artifacts, others }
}

const artifactOf = (agent: string, artifacts: ReadonlyMap<string, Artifact>): Artifact | undefined =>
  (agents[agent] ?? []).flatMap((name) => artifacts.get(name) ?? [])[0]

const artifactText = (agent: string, artifacts: ReadonlyMap<string, Artifact>): string => {
  const found = artifactOf(agent, artifacts)
  return found === undefined
    ? `Run the agent ${agent}.`
    : `Run the agent ${agent}. Its artifact is ${found.path}${textIn(found.value.status) === undefined ? '' : ` (status ${textIn(found.value.status)})`}.`
}

function stateOfAgent(
  agent: string,
  facts: { done: readonly string[]; hasCheckpoint: boolean; artifacts: ReadonlyMap<string, Artifact> },
  notes: Notes,
): { state: ImportedState; why?: string } {
  const artifact = artifactOf(agent, facts.artifacts)
  // The status of the manifest is that of the whole workflow, which has begun.
  const given = textIn(artifact?.value.status)
  const status = agent === 'orchestrator' && given === 'in_progress' && facts.hasCheckpoint ? undefined : given
  const isDone = facts.done.includes(agent)
  const at = { file: artifact?.path ?? 'checkpoint.json' }
  if (!facts.hasCheckpoint) {
    if (status === 'completed') return { state: 'done', why: `${artifact?.path} is completed` }
    if (status === 'failed') return { state: 'failed', why: `${artifact?.path} is failed` }
    if (artifact === undefined || status === 'pending') return { state: 'pending' }
    return { state: 'unknown', why: `${artifact.path} has the status ${status ?? 'none'}` }
  }
  if (isDone && (status === undefined || status === 'completed')) {
    if (artifact === undefined && agent in agents)
      notes.contradiction(`the checkpoint says that ${agent} is completed, but its artifact is not there`, at)
    return { state: 'done', why: 'completed_agents of the checkpoint' }
  }
  if (isDone) {
    notes.contradiction(`the checkpoint says that ${agent} is completed, but its artifact is ${status}`, at)
    return { state: 'unknown', why: `completed by the checkpoint, ${status} by ${artifact?.path}` }
  }
  if (status === 'completed') {
    notes.contradiction(`the artifact of ${agent} is completed, but the checkpoint does not list the agent`, at)
    return { state: 'unknown', why: `completed by ${artifact?.path}, not by the checkpoint` }
  }
  if (status === 'failed') return { state: 'failed', why: `${artifact?.path} is failed` }
  return status === 'in_progress' ? { state: 'unknown', why: `${artifact?.path} is in_progress` } : { state: 'pending' }
}

function reportCheckpoint(
  checkpoint: Artifact | undefined,
  {
    done,
    artifacts,
    others,
  }: { done: readonly string[]; artifacts: ReadonlyMap<string, Artifact>; others: readonly string[] },
  notes: Notes,
): void {
  if (checkpoint === undefined) return notes.unknown('there is no checkpoint.json; states are those of the artifacts')
  const at = { file: checkpoint.path }
  const lacks = ['version', 'workflow_id', 'completed_agents', 'current_agent'].filter(
    (key) => !(key in checkpoint.value),
  )
  if (lacks.length > 0) notes.lost(`it lacks ${lacks.join(', ')}: autonomous-dev itself refuses it`, at)
  for (const name of textsIn(checkpoint.value.artifacts_created))
    if (!artifacts.has(name.replace(/\.json$/, '')) && !others.includes(name))
      notes.contradiction(`the checkpoint names ${name}, which is not there`, at)
  const current = textIn(checkpoint.value.current_agent)
  if (current !== undefined && done.includes(current) && done.length < Object.keys(agents).length)
    notes.contradiction(`current_agent is ${current}, which is also completed`, at)
  const { metadata } = checkpoint.value
  const error = isMap(metadata) ? textIn(metadata.error) : undefined
  if (error !== undefined) notes.unknown(`the checkpoint has an error, and does not say of which agent: ${error}`, at)
}

function reportArtifacts(
  checkpoint: Artifact | undefined,
  artifacts: ReadonlyMap<string, Artifact>,
  notes: Notes,
): void {
  const workflow = textIn((checkpoint ?? artifacts.get('manifest'))?.value.workflow_id)
  for (const { path, value } of artifacts.values()) {
    const [id, version] = [textIn(value.workflow_id), textIn(value.version)]
    if (id !== undefined && workflow !== undefined && id !== workflow)
      notes.contradiction(
        `its workflow_id is ${quote(id)}, but that of the checkpoint or manifest is ${quote(workflow)}`,
        {
          file: path,
        },
      )
    if (version !== undefined && !version.startsWith('2.'))
      notes.lost(`its version is ${quote(version)}; autonomous-dev itself reads 2.*`, { file: path })
  }
}

function reportManifest(manifest: Artifact | undefined, notes: Notes): void {
  if (manifest === undefined)
    return notes.lost('there is no manifest.json, without which autonomous-dev does not resume', {
      file: 'manifest.json',
    })
  const lacks = required.filter((key) => !(key in manifest.value))
  if (lacks.length > 0)
    notes.lost(`it lacks ${lacks.join(', ')}: autonomous-dev itself refuses to resume it`, { file: manifest.path })
  const plan = manifest.value.workflow_plan
  const parallel = isMap(plan) ? textsIn(plan.parallel_validators) : []
  if (parallel.length > 0)
    notes.lost(
      `${parallel.join(', ')} are called parallel, but the tool runs them one after the other, and so does the plan`,
      {
        file: manifest.path,
      },
    )
}
