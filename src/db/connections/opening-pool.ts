import { Pool, type PoolClient, type PoolConfig } from 'pg'

/** A new connection that is not ready after so long may be one that a pooler keeps waiting. */
const SLOW_MS = 1_000

type Release = (error?: Error | boolean) => void
export type Callback = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void

/** A caller that waits for a connection. */
interface Waiting {
  readonly callback: Callback
  /** It was answered already: what is found for it is for others. */
  readonly timedOut?: boolean
  /** A new connection is on its way to it. */
  readonly isExpecting?: boolean
}
/** What the library has for its pools; its types do not name it. */
interface Library {
  /** The caller that is served next is first. */
  readonly _pendingQueue: Waiting[]
  /** Serves the next one, if there is a connection for it, or room for a new one. */
  _pulseQueue(): void
  /** Opens a connection for a caller. */
  newClient(waiting: Waiting): void
}
const LibraryPool = Pool as unknown as new (options: PoolConfig) => Pool & Library

/** A pool whose callers, while the connection that is opened for them is slow, also take another one that becomes free. */
export class OpeningPool extends LibraryPool {
  override newClient(waiting: Waiting): void {
    if (waiting.isExpecting) {
      this.#passOver(waiting)
      return
    }
    let isAnswered = false
    const isOver = () => isAnswered || waiting.timedOut === true
    const expecting = (callback: Callback): Waiting => ({
      callback,
      isExpecting: true,
      get timedOut() {
        return isOver()
      },
    })
    const answer: Callback = (...given) => {
      isAnswered = true
      clearTimeout(slow)
      const place = this._pendingQueue.indexOf(again)
      if (place >= 0) this._pendingQueue.splice(place, 1)
      waiting.callback(...given)
    }
    const again = expecting(answer)
    const slow = setTimeout(() => {
      if (isOver()) return
      this._pendingQueue.push(again)
      if (this.idleCount > 0) this._pulseQueue()
    }, SLOW_MS).unref()
    super.newClient(expecting(answer))
  }

  /** There is room for a new connection: it is for the next one that has none on its way. */
  #passOver(waiting: Waiting): void {
    if (!waiting.timedOut) this._pendingQueue.unshift(waiting)
    const next = this._pendingQueue.findIndex(({ isExpecting }) => !isExpecting)
    if (next >= 0) this.newClient(this._pendingQueue.splice(next, 1)[0] as Waiting)
  }
}
