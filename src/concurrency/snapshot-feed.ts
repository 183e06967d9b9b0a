import type { Identified, LatestStream } from './latest-stream.ts'
import type { PullStream } from './pull-stream.ts'

/** How closely the times are kept that followers ask for. */
const TICK_MS = 50

/** Where snapshots come from. */
interface Source<T extends Identified> {
  /** The present snapshots of these ids, together. */
  read(ids: readonly string[]): Promise<readonly T[]>
  /** What was not invalidated is read again after this time all the same: a notification may be lost. */
  readonly refreshMs: number
  /** It is read again a little later. */
  onFailure(error: Error): void
}

interface Follower<T extends Identified> {
  readonly stream: LatestStream<T>
  readonly everyMs: number
  /** What was sent last, and when. */
  stamp: string | null
  sentAt: number
}

/** A thing of which snapshots are followed. */
interface Watched<T extends Identified> {
  readonly followers: Set<Follower<T>>
  snapshot: T | null
  stamp: string | null
  readAt: number
  isStale: boolean
  /** The shortest time that any follower asks for. */
  everyMs: number
}

/**
 * Snapshots of things for those that follow them. Each thing is read once for all of its followers, all things that are due in one go, and
 * nothing that was not invalidated. A follower gets a snapshot at once, then only ones that differ from the last, and no more often than
 * it asked for.
 */
export class SnapshotFeed<T extends Identified> {
  readonly #source: Source<T>
  readonly #watched = new Map<string, Watched<T>>()
  #timer: NodeJS.Timeout | undefined
  #reading = false

  constructor(source: Source<T>) {
    this.#source = source
  }

  /** @param open opens the follower's stream, and calls what it is given when that ends */
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

  /** What is known of it is old. */
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
      // What is invalidated from here on may not be seen by this read.
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
