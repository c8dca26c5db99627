// Steps as nodes of a LangGraph: one node with an edge to itself, and a checkpoint in SQLite after each pass, written
// before the next one begins.

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [, , packages, state, steps] = process.argv
const load = createRequire(join(packages, 'load.js'))
const { Annotation, END, START, StateGraph } = load('@langchain/langgraph')
const { SqliteSaver } = load('@langchain/langgraph-checkpoint-sqlite')

const wanted = Number(steps)
const run = promisify(execFile)
const graph = new StateGraph(Annotation.Root({ done: Annotation() }))
  .addNode('step', async ({ done }) => {
    await run('sh', ['-c', 'true'])
    return { done: done + 1 }
  })
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ done }) => (done < wanted ? 'step' : END))
  .compile({ checkpointer: SqliteSaver.fromConnString(join(state, 'checkpoints.sqlite')) })

const thread = { configurable: { thread_id: 'bench' } }
await graph.invoke({ done: 0 }, { ...thread, recursionLimit: wanted + 10, durability: 'sync' })
const { values } = await graph.getState(thread)
console.log(`recorded ${values.done}`)
