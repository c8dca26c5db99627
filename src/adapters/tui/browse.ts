// The loop of the browser: takes keys and news, one after the other, and draws. It ends when it is asked to.

import { watchPlans } from '../../commands/inspect/watch-plans.ts'
import type { ListData } from '../../commands/inspect/list.ts'
import type { StatusData } from '../../commands/inspect/status.ts'
import { isId, planId } from '../../plan/model/ids.ts'
import { maskValues } from '../../secrets/masked.ts'
import { Calls, type CallsWorld } from '../library/calls.ts'
import { refusalOf } from '../library/refusal.ts'
import type { Style } from '../cli/style.ts'
import { startModel, type Effect, type Key, type Message, type Model, type Size } from './model.ts'
import type { Request } from './requests.ts'
import { update } from './update.ts'
import { view } from './view.ts'

/** The whole screen of a terminal, with its keyboard. */
export interface Screen {
  /** Takes the screen, and tells about keys and a new size. */
  open(listener: { readonly onKey: (key: Key) => void; readonly onResize: () => void }): void
  /** Gives it back as it was. */
  close(): void
  readonly size: Size
  readonly style: Style
  draw(lines: readonly string[]): void
  /** Draws every line again. */
  refresh(): void
  /** While a program or a command has the terminal. */
  lend(work: () => Promise<void>): Promise<void>
  /** As Ctrl-Z does elsewhere. */
  suspend(): void
}

export interface BrowserWorld extends CallsWorld {
  readonly screen: Screen
  /** The name of the repository. */
  readonly name: string
  /** Aborted when the program is asked to stop. */
  readonly signal: AbortSignal
  /** As Ctrl-C does elsewhere: it aborts the signal. */
  readonly interrupt: () => void
  /** Does what a key asks for, outside of the browser. */
  readonly perform: (request: Request) => Promise<void>
}

/** `plan`: the one whose steps are shown first. */
export async function browse(world: BrowserWorld, plan: string | undefined): Promise<void> {
  const { directory, env, now, screen, name, signal } = world
  const calls = new Calls({ directory, env, now })
  const inbox = new Inbox<Message | 'ended'>()
  const readList = new Latest((message: Message) => inbox.put(message))
  const readStatus = new Latest((message: Message) => inbox.put(message))
  let watched = new AbortController()
  let model = startModel({ name, size: screen.size, now: now().getTime() }, plan)

  const read = async (command: string, request: object, about: string | undefined): Promise<Message> => {
    try {
      const { data, nextCommands } = await calls.run(command, request, { signal })
      const shown = maskValues(data)
      return about === undefined
        ? { kind: 'list-read', list: shown as ListData }
        : { kind: 'status-read', status: shown as StatusData, next: maskValues(nextCommands) }
    } catch (error) {
      const { message, hint } = maskValues({ ...refusalOf(error) })
      return { kind: 'refused', plan: about, notice: { message, ...(hint === undefined ? {} : { hint }) } }
    }
  }
  /** Before the screen is shown, so that no key is about what is not there yet, or not any more. */
  const readAll = async (): Promise<void> => {
    const { isAll, opened } = model
    const messages = [await read('list', isAll ? { all: true } : {}, undefined)]
    if (opened !== undefined) messages.push(await read('status', { plan: opened }, opened))
    for (const message of messages) ({ model } = update(model, message))
  }
  const carryOut = async (effect: Effect): Promise<void> => {
    switch (effect.kind) {
      case 'read-list':
        return readList.start(() => read('list', effect.isAll ? { all: true } : {}, undefined))
      case 'read-status':
        return readStatus.start(() => read('status', { plan: effect.plan }, effect.plan))
      case 'watch':
        watched.abort()
        watched = new AbortController()
        return void tellNews(world, { plan: effect.plan, signal: AbortSignal.any([watched.signal, signal]), inbox })
      case 'perform':
        watched.abort()
        await screen.lend(async () => {
          await world.perform(effect.request)
          await readAll()
        })
        return inbox.put({ kind: 'returned' })
      case 'suspend':
        return screen.suspend()
      case 'interrupt':
        return world.interrupt()
      case 'quit':
        return inbox.put('ended')
    }
  }
  const end = (): void => inbox.put('ended')
  const clock = setInterval(() => {
    if (isRunning(model)) inbox.put({ kind: 'ticked', now: now().getTime() })
  }, 1000)
  signal.addEventListener('abort', end, { once: true })
  await readAll()
  screen.open({
    onKey: (key) => inbox.put({ kind: 'key', key }),
    onResize: () => inbox.put({ kind: 'resized', size: screen.size }),
  })
  try {
    screen.draw(view(model, screen.style))
    inbox.put({ kind: 'returned' })
    for (;;) {
      const message = await inbox.take()
      if (message === 'ended' || signal.aborted) return
      if (message.kind === 'resized' || (message.kind === 'key' && message.key.name === 'ctrl-l')) screen.refresh()
      const next = update(model, message)
      model = { ...next.model, now: now().getTime() }
      screen.draw(view(model, screen.style))
      for (const effect of next.effects) await carryOut(effect)
    }
  } finally {
    screen.close()
    clearInterval(clock)
    watched.abort()
    signal.removeEventListener('abort', end)
    await calls.stop()
  }
}

const isRunning = ({ status }: Model): boolean => status?.holder?.state === 'running'

async function tellNews(
  { directory, env }: BrowserWorld,
  { plan, signal, inbox }: { plan: string | undefined; signal: AbortSignal; inbox: Inbox<Message | 'ended'> },
): Promise<void> {
  try {
    const outputOf = plan !== undefined && isId(plan) ? planId(plan) : undefined
    for await (const { changed, output } of watchPlans({ cwd: directory, env, signal }, outputOf))
      if (!signal.aborted) inbox.put({ kind: 'changed', plans: changed, output })
  } catch (error) {
    // The screen stays as it is; Ctrl-L tries again.
    if (!signal.aborted) inbox.put({ kind: 'refused', plan: undefined, notice: { message: refusalOf(error).message } })
  }
}

/** One reading at a time; of those that are asked for meanwhile, the last one is done. */
class Latest {
  readonly #tell: (message: Message) => void
  #isBusy = false
  #waiting: (() => Promise<Message>) | undefined

  constructor(tell: (message: Message) => void) {
    this.#tell = tell
  }

  start(read: () => Promise<Message>): void {
    if (this.#isBusy) this.#waiting = read
    else void this.#perform(read)
  }

  async #perform(read: () => Promise<Message>): Promise<void> {
    this.#isBusy = true
    this.#tell(await read())
    this.#isBusy = false
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) this.start(waiting)
  }
}

class Inbox<T> {
  readonly #messages: T[] = []
  #wake: (() => void) | undefined

  put(message: T): void {
    this.#messages.push(message)
    this.#wake?.()
  }

  async take(): Promise<T> {
    for (;;) {
      const message = this.#messages.shift()
      if (message !== undefined) return message
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
