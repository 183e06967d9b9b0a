import type { Log } from '../../values/log.ts'
import { inLogScope } from '../../values/log-scope.ts'

/** A server that goes away takes all connections with it within this time. */
const BURST_MS = 1_000

/** Connections that were lost: logged once a burst, with their number. */
export class LossLog {
  readonly #log: Pick<Log, 'warn'>
  #count = 0
  #latest = ''
  #timer: NodeJS.Timeout | undefined
  readonly #lost = new WeakSet<object>()
  /** All since the process began. */
  total = 0

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /**
   * @param what the error, or which connection it was
   * @param connection counts once, however often it says that it is lost
   */
  add(what: string, connection: object): void {
    if (this.#lost.has(connection)) return
    this.#lost.add(connection)
    this.total++
    this.#count++
    this.#latest = what
    // Of no request, though one may have opened the connection.
    this.#timer ??= inLogScope({}, () => setTimeout(() => this.flush(), BURST_MS).unref())
  }

  /** Logs what was not logged yet. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#count > 0) this.#log.warn({ count: this.#count, err: this.#latest }, 'database connections were lost')
    this.#count = 0
  }
}
