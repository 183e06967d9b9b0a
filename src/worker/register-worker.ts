import { hostname } from 'node:os'
import { GENERATION_KIND } from '../catalog/job-kinds.ts'
import { predictionId } from '../catalog/workflows.ts'
import { cancelPrediction } from '../engines/cog.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { notifyJob } from '../jobs/live/notify-job.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import type { RescuedDeliveries } from '../queue/queue.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { secondsSince } from '../telemetry/telemetry.ts'
import { VERSION } from '../values/program.ts'
import { DEAD_AFTER_MS, HEARTBEAT_MS, LEASE_MS, toStoredGpu, type WorkerLoad } from './workers.ts'

const HEARTBEAT = `
  insert into worker (id, host, version, pools, slots, in_flight, gpus, server, away, engines)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $10, $11)
  on conflict (id) do update set
    pools = $4, slots = $5, in_flight = $6, gpus = $7, server = $8, away = $10, engines = $11, heartbeat_at = now()
  returning (
    select json_build_object('haveDead', coalesce(bool_or(o.is_dead), false),
      'peers', coalesce(sum(hashtext(o.id || o.pools::text)) filter (where o.pools && $4 and not o.is_dead), 0)::text)
    from (select *, heartbeat_at < now() - $9 * interval '1 millisecond' as is_dead from worker) o where o.id <> $1) as others`

const CANCEL_MS = 1000

interface Others {
  readonly haveDead: boolean
  readonly peers: string
}

const UNKNOWN: Others = { haveDead: true, peers: '' }

interface Registrant {
  load(): WorkerLoad
  /** @param peers another text once a living worker of the same pools has come, gone or changed its pools */
  onHeartbeat?(peers: string): Promise<void>
  onSilence?(): void
}

export interface Registration {
  /** Seconds since the last heartbeat. */
  readonly age: number
  /** Removes the stopped worker and releases its queue rows. */
  end(): Promise<void>
}

/** Registers this process, sends heartbeats and rescues the jobs of dead workers. */
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
    // The lease starts before the request, because other workers count from the database's write.
    const begun = performance.now()
    const statement = { name: 'worker_heartbeat', text: HEARTBEAT, values: this.#values() }
    const { rows } = await this.#runtime.db.pool.query<{ others: Others }>(statement)
    const now = performance.now()
    clearTimeout(this.#lease)
    this.#lease = setTimeout(() => this.#registrant.onSilence?.(), Math.max(0, begun + LEASE_MS - now))
    // After an outage or a pause every heartbeat looks old, so this worker waits before it judges others.
    if (now - this.#lastAt > DEAD_AFTER_MS) this.#steadySince = now
    this.#lastAt = now
    this.#writtenAt = now
    // Heartbeats do not wait for this, so a slow rescue cannot make this worker look dead.
    this.#following ??= this.#follow(now, rows[0]?.others ?? UNKNOWN)
      .catch((error: Error) => this.#missed(error))
      .finally(() => {
        this.#following = undefined
      })
  }

  #values(): unknown[] {
    const { pools, slots, inFlight, gpus, server, away, engines } = this.#registrant.load()
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
      JSON.stringify(engines),
    ]
  }

  async #follow(now: number, { haveDead, peers }: Others): Promise<void> {
    if (haveDead && now - this.#steadySince > DEAD_AFTER_MS) await rescueDeadWorkersJobs(this.#runtime)
    await this.#registrant.onHeartbeat?.(peers)
  }

  #missed(error: Error): void {
    this.#steadySince = Number.POSITIVE_INFINITY
    this.#lastAt = Number.NEGATIVE_INFINITY
    this.#runtime.log.warn({ err: error.message }, 'a heartbeat was missed')
  }
}

/** Releases the jobs of dead workers. Returns their number. */
export async function rescueDeadWorkersJobs(
  runtime: Pick<Runtime, 'log' | 'notifier' | 'queue' | 'telemetry' | 'workerId'>,
): Promise<number> {
  const rows = await runtime.queue.rescue(DEAD_AFTER_MS, runtime.workerId)
  for (const { queue, worker, jobs } of rows) {
    if (queue !== WEBHOOK_KIND.queue) runtime.telemetry.count('jobs_requeued_total', { reason: 'worker_lost' }, jobs)
    runtime.log.warn({ worker, queue, jobs }, 'a worker is gone: its jobs are rescued')
  }
  await Promise.all(rows.map(cancelPredictions))
  for (const { queue, taken } of rows) {
    runtime.queue.wake({ queue })
    for (const { jobId, accountId } of taken) if (accountId !== null) notifyJob(runtime, { accountId, jobId })
  }
  return rows.reduce((sum, { jobs }) => sum + jobs, 0)
}

/** Cancels abandoned predictions first, so that the server has capacity. */
async function cancelPredictions({ queue, taken }: RescuedDeliveries): Promise<void> {
  if (queue !== GENERATION_KIND.queue) return
  const until = AbortSignal.timeout(CANCEL_MS)
  const begun = taken.filter(({ attempt, server }) => (attempt ?? 0) > 0 && server !== OWNED_SERVER)
  await Promise.all(
    begun.map(({ server, jobId, attempt }) => cancelPrediction(server, predictionId(jobId, attempt ?? 0), until)),
  )
}
