import { awayParts } from '../../catalog/engine-server.ts'
import { poolOf } from '../../catalog/voice-endpoint.ts'
import { EngineError } from '../../engines/engine.ts'
import type { Engines } from '../../engines/engines.ts'
import type { Runtime } from '../../runtime/runtime.ts'

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

export class EngineWatch {
  readonly #runtime: Runtime
  readonly #engines: Pick<Engines, 'probe'>
  readonly #pools: () => readonly string[]
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined

  constructor(runtime: Runtime, engines: Pick<Engines, 'probe'>, pools: () => readonly string[]) {
    this.#runtime = runtime
    this.#engines = engines
    this.#pools = pools
  }

  /** Reasons by the keys of `awayParts`, after AWAY_PROBES failures in a row. */
  get away(): Readonly<Record<string, string>> {
    const away = [...this.#watched].filter(([, { failed }]) => failed >= AWAY_PROBES)
    return Object.fromEntries(away.map(([key, { reason }]) => [key, reason]))
  }

  start(): void {
    this.#look()
    this.#timer = setInterval(() => this.#look(), TICK_MS)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const blocks = this.#blocks()
    for (const key of this.#watched.keys()) if (!blocks.has(key)) this.#watched.delete(key)
    for (const [key, block] of blocks) {
      const watched = this.#watched.get(key) ?? { failed: 0, reason: '', nextAt: 0 }
      this.#watched.set(key, watched)
      if (watched.nextAt <= performance.now()) void this.#probe(block, watched)
    }
  }

  #blocks(): Map<string, unknown> {
    const pools = this.#pools()
    const endpoints = [...this.#runtime.catalog.current.endpoints.values()]
    return new Map(endpoints.flatMap((endpoint) => (pools.includes(poolOf(endpoint)) ? [...awayParts(endpoint)] : [])))
  }

  async #probe(block: unknown, watched: Watched): Promise<void> {
    watched.nextAt = Number.POSITIVE_INFINITY
    try {
      if (await this.#engines.probe(block)) watched.failed = 0
    } catch (error) {
      const isAway = error instanceof EngineError && error.code === 'PROVIDER_UNAVAILABLE'
      watched.failed = isAway ? watched.failed + 1 : 0
      watched.reason = (error as Error).message
    }
    const everyMs = watched.failed > 0 ? AWAY_EVERY_MS : EVERY_MS
    watched.nextAt = performance.now() + everyMs * (0.5 + Math.random())
  }
}
