import { awayParts, engineParts } from '../../catalog/engine-server.ts'
import { poolOf } from '../../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import { EngineError } from '../../engines/engine.ts'
import { DEFAULT_SLOTS } from '../../engines/engine-block.ts'
import type { Engines } from '../../engines/engines.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { EngineLoad } from '../workers.ts'
import { type AskTimes, EngineAsker, type Part } from './ask-engines.ts'
import { type EngineNotes, serverOfPart } from './engine-notes.ts'

const TICK_MS = 1000
/** Randomized by half, so that workers do not probe together. */
const EVERY_MS = 10_000
const AWAY_EVERY_MS = 1500
const AWAY_PROBES = 3

interface Watched {
  failed: number
  reason: string
  nextAt: number
}

interface EngineWatchOptions {
  readonly engines: Engines
  readonly notes: EngineNotes
  /** Texts that the built-in engine speaks at once. */
  readonly threads: number
  readonly times?: Partial<AskTimes> | undefined
  pools(): readonly string[]
  /** False if this worker may send no request there. @param key of `engineParts` */
  mayUse(key: string): boolean
}

/** Watches the engines of a worker's pools: whether they are there, and on behalf of all workers whether idle ones speak. */
export class EngineWatch {
  readonly #runtime: Runtime
  readonly #options: EngineWatchOptions
  readonly #watched = new Map<string, Watched>()
  readonly #asker: EngineAsker | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(runtime: Runtime, options: EngineWatchOptions) {
    this.#runtime = runtime
    this.#options = options
    const reasonOf = (key: string) => this.away[key]
    if (runtime.settings.askEngines) this.#asker = new EngineAsker(runtime, { ...options, reasonOf })
  }

  /** Reasons by the keys of `awayParts`, after AWAY_PROBES failures in a row. */
  get away(): Readonly<Record<string, string>> {
    const away = [...this.#watched].filter(([, { failed }]) => failed >= AWAY_PROBES)
    return Object.fromEntries(away.map(([key, { reason }]) => [key, reason]))
  }

  /** By the keys of `engineParts`, without idle servers. */
  get loads(): Readonly<Record<string, EngineLoad>> {
    const { notes, threads, engines } = this.#options
    const loads = this.#parts().flatMap(({ key, block, server }) => {
      const inside = block.kind === 'espeak' ? threads : Number(block.slots ?? DEFAULT_SLOTS)
      const slots = server === '' ? inside : null
      const load: EngineLoad = { slots, in_use: notes.inUse(key), model: engines.modelState(block) }
      return load.slots === null && load.in_use === 0 ? [] : [[key, load] as const]
    })
    return Object.fromEntries(loads)
  }

  start(): void {
    this.#look()
    this.#timer = setInterval(() => this.#look(), TICK_MS)
  }

  end(): void {
    clearInterval(this.#timer)
    this.#asker?.end()
  }

  #look(): void {
    const blocks = new Map(this.#endpoints().flatMap((endpoint) => [...awayParts(endpoint)]))
    for (const key of this.#watched.keys()) if (!blocks.has(key)) this.#watched.delete(key)
    for (const [key, block] of blocks) {
      const watched = this.#watched.get(key) ?? { failed: 0, reason: '', nextAt: 0 }
      this.#watched.set(key, watched)
      if (watched.nextAt <= performance.now()) void this.#probe(key, block, watched)
    }
    void this.#options.notes.write()
    void this.#asker?.ask(this.#parts())
  }

  #endpoints(): VoiceEndpoint[] {
    const pools = this.#options.pools()
    return [...this.#runtime.catalog.current.endpoints.values()].filter((endpoint) => pools.includes(poolOf(endpoint)))
  }

  #parts(): Part[] {
    const { workerId } = this.#runtime
    return this.#endpoints().flatMap((endpoint) =>
      [...engineParts(endpoint)].map(([key, block]) => ({
        ...{ endpoint, key, block, slug: endpoint.slug },
        server: serverOfPart(key, block.kind, workerId),
      })),
    )
  }

  async #probe(key: string, block: VoiceEndpoint['engine'], watched: Watched): Promise<void> {
    watched.nextAt = Number.POSITIVE_INFINITY
    const before = watched.failed
    try {
      if (await this.#options.engines.probe(block)) {
        watched.failed = 0
        if (before === 0) await this.#noteThere(key)
      }
    } catch (error) {
      const isAway = error instanceof EngineError && error.code === 'PROVIDER_UNAVAILABLE'
      watched.failed = isAway ? watched.failed + 1 : 0
      watched.reason = (error as Error).message
    }
    if (watched.failed === AWAY_PROBES || (before >= AWAY_PROBES && watched.failed === 0))
      this.#noteChange(key, watched)
    const everyMs = watched.failed > 0 ? AWAY_EVERY_MS : EVERY_MS
    watched.nextAt = performance.now() + everyMs * (0.5 + Math.random())
  }

  /** Another worker, or this one before it was started again, may have noted that the model is away. */
  async #noteThere(key: string): Promise<void> {
    const { notes } = this.#options
    const parts = this.#parts().filter((part) => part.key === key && part.server === '' && !notes.fails(part))
    if (parts.length > 0) await notes.noteBack(parts)
  }

  #noteChange(key: string, { failed, reason }: Watched): void {
    const { notes } = this.#options
    const parts = this.#parts().filter((part) => part.key === key)
    if (failed === 0) void notes.noteBack(parts).then(() => this.#asker?.soon(parts))
    else {
      for (const part of parts) {
        const failure = part.server === '' ? 'model' : 'unreachable'
        notes.note(part, { outcome: { failure, error: reason } })
      }
    }
  }
}
