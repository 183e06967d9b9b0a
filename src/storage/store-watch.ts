import { inTime } from '../concurrency/in-time.ts'
import { StoreDown, type StoreFault } from '../errors/outages.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Log } from '../values/log.ts'
import { SMALL_FILE_BYTES, type Storage } from './storage.ts'

const RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
const UNSTABLE_MS = 60_000
const FRESH_MS = 10_000
const MAX_WAIT_MS = 2_000
const SLOW_PUT_MS = 5_000
const MAX_PROBE_BYTES = 8 * 1024 * 1024

type StoreState = 'ok' | StoreFault

interface WatchOptions {
  readonly store: 'disk' | 's3'
  readonly log: Log
  readonly telemetry: Telemetry
}

/** Notices when the store fails and recovers; jobs wait meanwhile. */
export class StoreWatch {
  readonly storage: Storage
  readonly #store: Storage
  readonly #options: WatchOptions
  readonly #listeners = new Set<() => void>()
  #state: StoreState = 'ok'
  #neededBytes = 0
  #retryMs = RETRY_MS
  #retry: NodeJS.Timeout | undefined
  #lastStored = Number.NEGATIVE_INFINITY
  #lastAway = Number.NEGATIVE_INFINITY
  #probing: Promise<void> | null = null
  #closed = false

  constructor(store: Storage, options: WatchOptions) {
    this.#store = store
    this.#options = options
    this.storage = this.#watched(store)
    const { telemetry, store: name } = options
    telemetry.gauge('storage_up', () => [{ labels: { store: name }, value: Number(!this.isAway) }])
  }

  get isAway(): boolean {
    return this.#state !== 'ok'
  }

  /** @param timestamp in milliseconds of `performance.now()` */
  wasAwaySince(timestamp: number): boolean {
    return this.isAway || this.#lastAway >= timestamp
  }

  async isAwayNow(): Promise<boolean> {
    await this.#probe()
    return this.isAway
  }

  /** Called at every recovery. Returns a function that ends this. */
  onBack(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async check(): Promise<StoreState> {
    if (this.isAway || performance.now() - this.#lastStored < FRESH_MS) return this.#state
    await inTime(MAX_WAIT_MS, this.#probe(), () => undefined)
    return this.#state
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  #watched(store: Storage): Storage {
    const asking = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work()
      } catch (error) {
        if (error instanceof StoreDown && !this.isAway) void this.#probe()
        throw error
      }
    }
    return {
      ...store,
      put: async (key, content, options) => {
        const timer = setTimeout(() => void this.#probe(), SLOW_PUT_MS)
        try {
          const stored = await store.put(key, content, options)
          // A small file does not prove room for the larger one that failed.
          if (!this.isAway) this.#lastStored = performance.now()
          return stored
        } catch (error) {
          if (error instanceof StoreDown) this.#noteLost(error, content instanceof Uint8Array ? content.length : 0)
          throw error
        } finally {
          clearTimeout(timer)
        }
      },
      stat: (key) => asking(() => store.stat(key)),
      read: (key, range) => asking(() => store.read(key, range)),
      delete: (key) => asking(() => store.delete(key)),
      deleteBelow: (folder) => asking(() => store.deleteBelow(folder)),
    }
  }

  /** Callers share one probe. Never rejects. */
  #probe(): Promise<void> {
    this.#probing ??= this.#tryStore().finally(() => {
      this.#probing = null
    })
    return this.#probing
  }

  async #tryStore(): Promise<void> {
    try {
      const bytes = Math.min(Math.max(SMALL_FILE_BYTES, this.#neededBytes), MAX_PROBE_BYTES)
      await (this.isAway ? this.#store.probe(bytes) : this.#store.probe())
      this.#noteStored()
    } catch (error) {
      this.#noteLost(error as Error, 0)
    }
  }

  #noteStored(): void {
    this.#lastStored = performance.now()
    if (!this.isAway) return
    this.#state = 'ok'
    this.#lastAway = performance.now()
    this.#neededBytes = 0
    clearTimeout(this.#retry)
    this.#options.log.info({ store: this.#options.store }, 'artifacts can be stored again')
    for (const listener of this.#listeners) listener()
  }

  #noteLost(error: Error, bytes: number): void {
    this.#neededBytes = Math.max(this.#neededBytes, bytes)
    this.#lastStored = Number.NEGATIVE_INFINITY
    const [wasAway, fault] = [this.isAway, error instanceof StoreDown ? error.fault : 'away']
    this.#state = fault
    if (wasAway) return
    const isUnstable = performance.now() - this.#lastAway < UNSTABLE_MS
    this.#retryMs = isUnstable ? Math.min(this.#retryMs * 2, MAX_RETRY_MS) : RETRY_MS
    const { log, store } = this.#options
    log.warn({ store, fault, err: error.message }, 'artifacts cannot be stored: jobs wait until they can')
    this.#tryAgain()
  }

  #tryAgain(): void {
    if (this.#closed) return
    this.#retry = setTimeout(async () => {
      await this.#probe()
      if (this.isAway) this.#tryAgain()
    }, this.#retryMs).unref()
  }
}
