import { Pool, type PoolClient, type PoolConfig } from 'pg'

const SLOW_MS = 1_000

type Release = (error?: Error | boolean) => void
export type Callback = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void

interface Waiting {
  readonly callback: Callback
  readonly timedOut?: boolean
  readonly isExpecting?: boolean
}
/** Private members of pg-pool. */
interface Library {
  readonly _pendingQueue: Waiting[]
  _pulseQueue(): void
  newClient(waiting: Waiting): void
}
const LibraryPool = Pool as unknown as new (options: PoolConfig) => Pool & Library

/** If a caller's new connection is slow, the caller also takes another that becomes free. A pooler may keep the new one waiting. */
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

  #passOver(waiting: Waiting): void {
    if (!waiting.timedOut) this._pendingQueue.unshift(waiting)
    const next = this._pendingQueue.findIndex(({ isExpecting }) => !isExpecting)
    if (next >= 0) this.newClient(this._pendingQueue.splice(next, 1)[0] as Waiting)
  }
}
