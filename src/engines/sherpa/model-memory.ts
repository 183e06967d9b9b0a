import { totalmem } from 'node:os'
import { waitForGrant } from '../../concurrency/semaphore.ts'
import { EngineError } from '../engine.ts'

/** The service, its database and the system need the rest. */
const SHARE_OF_MACHINE = 0.5

/** Half of the machine's memory, or of the container's. In bytes. */
export const usualBound = (constrained = process.constrainedMemory(), total = totalmem()): number =>
  Math.floor((constrained > 0 ? Math.min(constrained, total) : total) * SHARE_OF_MACHINE)

interface Process {
  readonly ended: Promise<void>
  readonly isKilled: boolean
  kill(): void
}

/** The place of one process in memory. */
export interface Seat<Held extends Process> {
  readonly owner: object
  /** Expected until the process has loaded its model, then measured. */
  bytes: number
  process: Held | undefined
}

const stays = (seat: Seat<Process>): boolean => seat.process?.isKilled !== true

interface Applicant<Held extends Process> {
  readonly owner: object
  readonly bytes: number
  readonly take: (seat: Seat<Held>) => void
}

/** Bounds the memory of all processes. The one that was used least recently ends first; one that loads or speaks never does. */
export class ModelMemory<Held extends Process> {
  readonly boundBytes: number
  readonly #seats = new Set<Seat<Held>>()
  /** The least recently used first. */
  readonly #idle = new Map<Seat<Held>, NodeJS.Timeout>()
  #waiting: readonly Applicant<Held>[] = []
  #isClosed = false

  constructor(boundBytes: number) {
    this.boundBytes = boundBytes
  }

  /** True if a process of the owner is idle. */
  isWarm(owner: object): boolean {
    return this.#idleOf(owner) !== undefined
  }

  /**
   * Waits in turn for an idle process of the owner, or for room for a new one.
   * @param bytes at most the bound
   * @throws the signal's reason
   */
  async take(owner: object, bytes: number, signal: AbortSignal): Promise<Seat<Held>> {
    signal.throwIfAborted()
    if (this.#isClosed) throw new EngineError('PROVIDER_UNAVAILABLE', 'The engine is closed.')
    let taken: Seat<Held> | undefined
    let applicant: Applicant<Held> | undefined
    await waitForGrant(
      { signal },
      {
        add: (grant) => {
          const take = (seat: Seat<Held>) => {
            taken = seat
            grant()
          }
          applicant = { owner, bytes, take }
          this.#waiting = [...this.#waiting, applicant]
          this.#settle()
        },
        remove: () => {
          this.#waiting = this.#waiting.filter((one) => one !== applicant)
          this.#settle()
        },
      },
    )
    return taken as Seat<Held>
  }

  /** Seats a process. Its memory is free once it has ended. */
  start(seat: Seat<Held>, process: Held): void {
    seat.process = process
    void process.ended.then(() => this.#remove(seat))
  }

  /** Returns whether all fit that stay: a killed process is about to end. */
  measure(seat: Seat<Held>, bytes: number): boolean {
    seat.bytes = bytes
    this.#settle()
    return this.#bytes(stays) <= this.boundBytes
  }

  /** The process waits for its next text, and ends after `idleMs` without one. */
  giveBack(seat: Seat<Held>, idleMs: number): void {
    if (!this.#seats.has(seat) || seat.process?.isKilled) return
    this.#idle.set(seat, setTimeout(() => this.end(seat), idleMs).unref())
    this.#settle()
  }

  end(seat: Seat<Held>): void {
    clearTimeout(this.#idle.get(seat))
    this.#idle.delete(seat)
    if (seat.process === undefined) this.#remove(seat)
    else seat.process.kill()
  }

  close(): void {
    this.#isClosed = true
    for (const seat of this.#seats) this.end(seat)
  }

  #settle(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const seat = this.#reuse(next.owner) ?? this.#makeRoom(next)
      if (seat === null) return
      this.#waiting = this.#waiting.slice(1)
      next.take(seat)
    }
    this.#free(0)
  }

  #reuse(owner: object): Seat<Held> | undefined {
    const seat = this.#idleOf(owner)
    if (seat === undefined) return undefined
    clearTimeout(this.#idle.get(seat))
    this.#idle.delete(seat)
    return seat
  }

  #makeRoom({ owner, bytes }: Applicant<Held>): Seat<Held> | null {
    this.#free(bytes)
    if (this.#bytes() + bytes > this.boundBytes && this.#seats.size > 0) return null
    const seat = { owner, bytes, process: undefined }
    this.#seats.add(seat)
    return seat
  }

  /** Ends idle processes until so many bytes fit beside those that stay. */
  #free(bytes: number): void {
    let kept = this.#bytes(stays)
    for (const seat of [...this.#idle.keys()]) {
      if (kept + bytes <= this.boundBytes) return
      kept -= seat.bytes
      this.end(seat)
    }
  }

  #idleOf(owner: object): Seat<Held> | undefined {
    return [...this.#idle.keys()].findLast((seat) => seat.owner === owner)
  }

  #bytes(isCounted: (seat: Seat<Held>) => boolean = () => true): number {
    return [...this.#seats].reduce((sum, seat) => sum + (isCounted(seat) ? seat.bytes : 0), 0)
  }

  #remove(seat: Seat<Held>): void {
    clearTimeout(this.#idle.get(seat))
    this.#idle.delete(seat)
    this.#seats.delete(seat)
    this.#settle()
  }
}
