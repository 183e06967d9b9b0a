import type { Gate } from './dispatcher.ts'
import type { RunningJob } from './running-jobs.ts'
import type { ServerQueues } from './server-queue.ts'

const NO_LIMITS: ReadonlyMap<string, number> = new Map()

interface CapacityOptions {
  readonly slots: number | (() => number)
  readonly serverQueues?: ServerQueues
  readonly gate?: Pick<Gate, 'isOpen'>
}

export class DispatchCapacity {
  readonly #slots: () => number
  readonly #serverQueues: ServerQueues | undefined
  readonly #gate: Pick<Gate, 'isOpen'> | undefined
  readonly #jobs: ReadonlyMap<string, RunningJob>

  constructor({ slots, serverQueues, gate }: CapacityOptions, jobs: ReadonlyMap<string, RunningJob>) {
    this.#slots = typeof slots === 'number' ? () => slots : slots
    this.#serverQueues = serverQueues
    this.#gate = gate
    this.#jobs = jobs
  }

  /** Free capacity by server; '' stands for servers that no endpoint names. */
  readonly limits = (): ReadonlyMap<string, number> => {
    const limited = this.#limited()
    // Without slots, jobs of unnamed servers run one at a time, so that they end.
    return limited.size === 0 ? limited : new Map([...limited, ['', this.#slots() === 0 ? 1 : this.#freeSlots()]])
  }

  free(): number {
    if (this.#gate?.isOpen() === false) return 0
    return [...this.#limited().values()].reduce((sum, capacity) => sum + capacity, this.#freeSlots())
  }

  #limited(): ReadonlyMap<string, number> {
    return this.#serverQueues?.capacities() ?? NO_LIMITS
  }

  #freeSlots(): number {
    return Math.max(0, this.#slots() - this.#countWithoutTicket())
  }

  #countWithoutTicket(): number {
    if (this.#serverQueues === undefined) return this.#jobs.size
    return [...this.#jobs.values()].filter(({ ticket }) => ticket === undefined).length
  }
}
