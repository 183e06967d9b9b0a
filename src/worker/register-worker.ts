import { hostname } from 'node:os'
import type { Runtime } from '../runtime/runtime.ts'
import { secondsSince } from '../telemetry/telemetry.ts'
import { VERSION } from '../values/version.ts'
import { rescueDeliveries } from './rescue-deliveries.ts'
import { DEAD_AFTER_MS, HEARTBEAT_MS, LEASE_MS, type WorkerLoad } from './worker.ts'
import { toStoredGpu } from './workers.ts'

const HEARTBEAT = `
  insert into worker (id, host, version, pools, slots, in_flight, gpus, server, away)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $10)
  on conflict (id) do update set
    pools = $4, slots = $5, in_flight = $6, gpus = $7, server = $8, away = $10, heartbeat_at = now()
  returning exists(
    select from worker w where w.id <> $1 and w.heartbeat_at < now() - $9 * interval '1 millisecond') as others_dead`

interface Registrant {
  /** What the next heartbeat says about the worker. */
  load(): WorkerLoad
  /** Runs after a heartbeat was written, and the deliveries of dead workers were rescued. */
  onHeartbeat?(): Promise<void>
  /** No heartbeat could be written for so long that others may take this worker for dead at any time. */
  onSilence?(): void
}

/** A worker's entry in the list of workers. */
export interface Registration {
  /** Seconds since the last heartbeat was written. */
  readonly age: number
  /** Takes the worker, which has stopped, off the list, and releases what the queue still counts as its own. */
  end(): Promise<void>
}

/**
 * Lists this process as a worker, writes every second that it lives, and gives the jobs of workers that no longer do so to others: a
 * `kill -9` is noticed within seconds, where pg-boss's own heartbeats cannot be closer than 10 s.
 */
export async function registerWorker(runtime: Runtime, registrant: Registrant): Promise<Registration> {
  const heartbeats = new Heartbeats(runtime, registrant)
  await heartbeats.start()
  return heartbeats
}

class Heartbeats implements Registration {
  readonly #runtime: Runtime
  readonly #registrant: Registrant
  #sending: Promise<void> | undefined
  #following: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #lease: NodeJS.Timeout | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #writtenAt = performance.now()
  #steadySince = Number.POSITIVE_INFINITY

  constructor(runtime: Runtime, registrant: Registrant) {
    this.#runtime = runtime
    this.#registrant = registrant
  }

  get age(): number {
    return secondsSince(this.#writtenAt)
  }

  /** @throws when the first heartbeat could not be written */
  async start(): Promise<void> {
    await this.#send()
    await this.#following
    this.#timer = setInterval(() => {
      this.#sending ??= this.#send()
        .catch((error: Error) => this.#missed(error))
        .finally(() => {
          this.#sending = undefined
        })
    }, HEARTBEAT_MS)
  }

  async end(): Promise<void> {
    const { queue, workerId } = this.#runtime
    clearInterval(this.#timer)
    await this.#sending
    clearTimeout(this.#lease)
    await this.#following
    await queue.releaseWorker(workerId).catch(() => undefined)
  }

  async #send(): Promise<void> {
    // The others count from no earlier than this, whenever the answer comes.
    const begun = performance.now()
    const statement = { name: 'worker_heartbeat', text: HEARTBEAT, values: this.#values() }
    const { rows } = await this.#runtime.db.pool.query<{ others_dead: boolean }>(statement)
    const now = performance.now()
    clearTimeout(this.#lease)
    this.#lease = setTimeout(() => this.#registrant.onSilence?.(), Math.max(0, begun + LEASE_MS - now))
    // After an outage, or a pause of this process, every heartbeat looks old: no worker is judged before all had time to send one.
    if (now - this.#lastAt > DEAD_AFTER_MS) this.#steadySince = now
    this.#lastAt = now
    this.#writtenAt = now
    // Not awaited by the heartbeats: what it waits for must not make this worker look dead.
    this.#following ??= this.#follow(now, rows[0]?.others_dead ?? true)
      .catch((error: Error) => this.#missed(error))
      .finally(() => {
        this.#following = undefined
      })
  }

  #values(): unknown[] {
    const { pools, slots, inFlight, gpus, server, away } = this.#registrant.load()
    const listed = [JSON.stringify(gpus.map(toStoredGpu)), server === null ? null : JSON.stringify(server)]
    return [
      this.#runtime.workerId,
      hostname(),
      VERSION,
      pools,
      slots,
      inFlight,
      ...listed,
      DEAD_AFTER_MS,
      JSON.stringify(away),
    ]
  }

  /** What a written heartbeat is followed by. */
  async #follow(now: number, areOthersDead: boolean): Promise<void> {
    if (areOthersDead && now - this.#steadySince > DEAD_AFTER_MS) await rescueDeliveries(this.#runtime)
    await this.#registrant.onHeartbeat?.()
  }

  #missed(error: Error): void {
    this.#steadySince = Number.POSITIVE_INFINITY
    this.#lastAt = Number.NEGATIVE_INFINITY
    this.#runtime.log.warn({ err: error.message }, 'a heartbeat was missed')
  }
}
