import type { Log } from '../../values/log.ts'
import { inLogScope } from '../../values/log-scope.ts'

const BURST_MS = 1_000

/** Logs lost connections once a burst, with their number. */
export class LossLog {
  readonly #log: Pick<Log, 'warn'>
  #count = 0
  #latest = ''
  #timer: NodeJS.Timeout | undefined
  readonly #lost = new WeakSet<object>()
  total = 0

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  add(what: string, connection: object): void {
    if (this.#lost.has(connection)) return
    this.#lost.add(connection)
    this.total++
    this.#count++
    this.#latest = what
    this.#timer ??= inLogScope({}, () => setTimeout(() => this.flush(), BURST_MS).unref())
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#count > 0) this.#log.warn({ count: this.#count, err: this.#latest }, 'database connections were lost')
    this.#count = 0
  }
}
