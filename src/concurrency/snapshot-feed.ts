import type { Identified, LatestStream } from './latest-stream.ts'
import type { PullStream } from './pull-stream.ts'

const TICK_MS = 50

interface Source<T extends Identified> {
  read(ids: readonly string[]): Promise<readonly T[]>
  /** Everything is read again after this time, because a notification may be lost. */
  readonly refreshMs: number
  onFailure(error: Error): void
}

interface Follower<T extends Identified> {
  readonly stream: LatestStream<T>
  readonly everyMs: number
  stamp: string | null
  sentAt: number
}

interface Watched<T extends Identified> {
  readonly followers: Set<Follower<T>>
  snapshot: T | null
  stamp: string | null
  readAt: number
  isStale: boolean
  everyMs: number
}

/**
 * Reads each thing once for all followers, only after its invalidation.
 * A follower gets changed snapshots, at most one in `everyMs`.
 */
export class SnapshotFeed<T extends Identified> {
  readonly #source: Source<T>
  readonly #watched = new Map<string, Watched<T>>()
  #timer: NodeJS.Timeout | undefined
  #reading = false

  constructor(source: Source<T>) {
    this.#source = source
  }

  follow(id: string, everyMs: number, open: (onEnd: () => void) => LatestStream<T>): PullStream<T> {
    const stream = open(() => this.#leave(id, follower))
    const follower: Follower<T> = { stream, everyMs, stamp: null, sentAt: Number.NEGATIVE_INFINITY }
    const watched = this.#watched.get(id) ?? nothingRead<T>()
    this.#watched.set(id, watched)
    watched.followers.add(follower)
    watched.everyMs = Math.min(watched.everyMs, everyMs)
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
    this.#tick()
    return stream.states
  }

  invalidate(id: string): void {
    const watched = this.#watched.get(id)
    if (watched !== undefined) watched.isStale = true
  }

  invalidateAll(): void {
    for (const watched of this.#watched.values()) watched.isStale = true
  }

  #leave(id: string, follower: Follower<T>): void {
    const watched = this.#watched.get(id)
    if (watched === undefined || !watched.followers.delete(follower)) return
    watched.everyMs = Math.min(...[...watched.followers].map(({ everyMs }) => everyMs))
    if (watched.followers.size === 0) this.#watched.delete(id)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const now = performance.now()
    for (const watched of this.#watched.values()) offer(watched, now)
    if (this.#reading) return
    const due = [...this.#watched].flatMap(([id, watched]) => (this.#isDue(watched, now) ? [id] : []))
    if (due.length > 0) void this.#read(due, now)
  }

  #isDue({ isStale, readAt, everyMs }: Watched<T>, now: number): boolean {
    return now - readAt >= everyMs && (isStale || now - readAt >= this.#source.refreshMs)
  }

  async #read(ids: readonly string[], now: number): Promise<void> {
    this.#reading = true
    for (const id of ids) {
      const watched = this.#watched.get(id)
      // An invalidation during the read marks the thing again.
      if (watched !== undefined) Object.assign(watched, { isStale: false, readAt: now })
    }
    try {
      for (const snapshot of await this.#source.read(ids)) this.#take(snapshot)
    } catch (error) {
      for (const id of ids) this.invalidate(id)
      this.#source.onFailure(error as Error)
    }
    this.#reading = false
  }

  #take(snapshot: T): void {
    const watched = this.#watched.get(snapshot.id)
    const stamp = JSON.stringify(snapshot)
    if (watched === undefined) return
    if (stamp !== watched.stamp) Object.assign(watched, { snapshot, stamp })
    offer(watched, performance.now())
  }
}

const nothingRead = <T extends Identified>(): Watched<T> => ({
  followers: new Set(),
  snapshot: null,
  stamp: null,
  readAt: Number.NEGATIVE_INFINITY,
  isStale: true,
  everyMs: Number.POSITIVE_INFINITY,
})

function offer<T extends Identified>({ followers, snapshot, stamp }: Watched<T>, now: number): void {
  if (snapshot === null) return
  for (const follower of followers) {
    if (follower.stamp === stamp || now - follower.sentAt < follower.everyMs) continue
    follower.stamp = stamp
    follower.sentAt = now
    follower.stream.push(snapshot)
  }
}
