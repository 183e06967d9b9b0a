import { Agent } from 'undici'
import { SpeechReader } from '../audio/speech-reader.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { systemLookup } from '../egress/system-lookup.ts'
import type { OwnedServer } from './engine-block.ts'
import { CircuitBreaker } from './retry.ts'

const CONNECT_TIMEOUT_MS = 10_000

export class SpeechServer {
  readonly baseUrl: string
  readonly slots: Semaphore
  readonly owned: OwnedServer | undefined
  readonly breaker = new CircuitBreaker()
  readonly reader = new SpeechReader()
  /** The job's time limit replaces the agent's timeouts. */
  readonly agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS, lookup: systemLookup() },
  })
  /** The lowest limit of the endpoints in use; it counts only without `slots`. */
  mostAtOnce = 1
  lacksTimes = false
  /** Seconds that its last answer took for each second of speech. */
  pace: number | undefined

  /** @param slots absent: `mostAtOnce` */
  constructor(baseUrl: string, slots: Semaphore | undefined, owned: OwnedServer | undefined) {
    this.baseUrl = baseUrl
    this.slots = slots ?? new Semaphore(() => this.mostAtOnce)
    this.owned = owned
  }

  async close(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.reader.close()])
  }
}
