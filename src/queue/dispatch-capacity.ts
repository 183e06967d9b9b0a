import type { DispatchOptions } from './dispatcher.ts'
import type { Room } from './job-source.ts'
import type { RunningJob } from './running-jobs.ts'

/** Parked jobs keep their texts and times in memory. From this number on, each account may have a few only. */
const MOST_PARKED = 300
const FEW_PARKED = 4
/** Jobs that are heard keep the sound of their texts. */
const HEARD_PER_SLOT = 16

type CapacityOptions = Pick<DispatchOptions, 'slots' | 'serverQueues' | 'gate' | 'limiter'>

/** Jobs that somebody waits for are counted apart: they are taken, whatever the others hold, and meet these in the engine. */
export class DispatchCapacity {
  readonly #slots: () => number
  readonly #options: CapacityOptions
  readonly #jobs: ReadonlyMap<string, RunningJob>

  constructor(options: CapacityOptions, jobs: ReadonlyMap<string, RunningJob>) {
    const { slots } = options
    this.#slots = typeof slots === 'number' ? () => slots : slots
    this.#options = options
    this.#jobs = jobs
  }

  /** Empty while no job may begin. */
  readonly rooms = (): readonly Room[] => {
    const { gate, limiter } = this.#options
    if (gate?.isOpen() === false) return []
    return limiter === undefined ? [this.#room(true), this.#room(false)] : [this.#room(false)]
  }

  free(): number {
    return this.rooms().reduce((sum, { free }) => sum + free, 0)
  }

  /** True if this process takes any job that comes next. */
  isOpen(): boolean {
    const rooms = this.rooms()
    return (
      rooms.length > 0 && rooms.every(({ free, limits, full }) => free > 0 && limits.size === 1 && full.length === 0)
    )
  }

  #room(isAwaited: boolean): Room {
    const limited = this.#options.serverQueues?.capacities(isAwaited) ?? new Map<string, number>()
    const mine = [...this.#jobs.values()].filter(({ delivery }) => (delivery.isAwaited === true) === isAwaited)
    const freeSlots = this.#freeSlots(mine)
    // Without slots, jobs of unnamed servers run one at a time, so that they end.
    const unnamed = limited.size > 0 && this.#slots() === 0 ? 1 : freeSlots
    const free = [...limited.values()].reduce((sum, capacity) => sum + capacity, freeSlots)
    return { isAwaited, free, limits: new Map([...limited, ['', unnamed]]), full: fullAccounts(mine) }
  }

  #freeSlots(jobs: readonly RunningJob[]): number {
    const slots = this.#slots()
    const inSlots = jobs.filter(({ ticket, isParked }) => ticket === undefined && !isParked)
    const heard = inSlots.filter(({ isHeard }) => isHeard).length
    return Math.max(0, Math.min(slots + heard, slots * HEARD_PER_SLOT) - inSlots.length)
  }
}

function fullAccounts(jobs: readonly RunningJob[]): string[] {
  const parked = jobs.filter(({ isParked }) => isParked)
  if (parked.length < MOST_PARKED) return []
  const byAccount = Map.groupBy(parked, ({ delivery }) => delivery.accountId ?? '')
  return [...byAccount].flatMap(([account, { length }]) => (length >= FEW_PARKED ? [account] : []))
}
