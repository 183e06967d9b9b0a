import { hostname } from 'node:os'
import type { Runtime } from '../runtime/runtime.ts'
import { VERSION } from '../values/version.ts'
import { listGpus } from './list-gpus.ts'
import { rescueDeliveries } from './rescue-deliveries.ts'
import { DEAD_AFTER_MS, type Gpu, HEARTBEAT_MS, LEASE_MS, type WorkerLoad } from './worker.ts'

const BEAT = `
  insert into worker (id, host, version, pools, slots, in_flight, gpus) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (id) do update set pools = $4, slots = $5, in_flight = $6, gpus = $7, heartbeat_at = now()`

interface Registration {
  /** Takes the worker, which has stopped, off the list, and gives back what the queue still counts as its own. */
  end(): Promise<void>
}

interface Registrant {
  /** What the next heartbeat tells of the worker. */
  load(): WorkerLoad
  /** Runs after a heartbeat was written, and the dead were seen to. */
  onHeartbeat?(): Promise<void>
  /** No heartbeat could be written for so long that others may take this worker for dead any moment. */
  onSilence?(): void
}

/**
 * Lists this process as a worker, tells every second that it lives, and gives the jobs of workers that no longer do so to others: a
 * `kill -9` is noticed within seconds, where pg-boss's own heartbeats cannot be closer than 10 s.
 */
export async function registerWorker(runtime: Runtime, registrant: Registrant): Promise<Registration> {
  let gpus: readonly Gpu[] = []
  let beating: Promise<void> | undefined
  let looking: Promise<void> | undefined
  let lease: NodeJS.Timeout | undefined
  let lastHeartbeat = Number.NEGATIVE_INFINITY
  let steadySince = Number.POSITIVE_INFINITY

  const missed = (error: Error): void => {
    steadySince = Number.POSITIVE_INFINITY
    lastHeartbeat = Number.NEGATIVE_INFINITY
    runtime.log.warn({ err: error.message }, 'a heartbeat was missed')
  }
  const beat = async (): Promise<void> => {
    const { pools, slots, inFlight } = registrant.load()
    const cards = JSON.stringify(gpus.map((gpu) => ({ name: gpu.name, memory_mib: gpu.memoryMib })))
    const values = [runtime.workerId, hostname(), VERSION, pools, slots, inFlight, cards]
    // The others count from no earlier than this, whenever the answer comes.
    const begun = performance.now()
    await runtime.db.pool.query({ name: 'worker_beat', text: BEAT, values })
    const now = performance.now()
    clearTimeout(lease)
    lease = setTimeout(() => registrant.onSilence?.(), Math.max(0, begun + LEASE_MS - now))
    // After an outage, or a pause of this process, every heartbeat looks old: no worker is judged before all had time to send one.
    if (now - lastHeartbeat > DEAD_AFTER_MS) steadySince = now
    lastHeartbeat = now
    // Beside the heartbeats: what it waits for must not make this worker look dead.
    looking ??= look(now)
      .catch(missed)
      .finally(() => {
        looking = undefined
      })
  }
  const look = async (now: number): Promise<void> => {
    if (now - steadySince > DEAD_AFTER_MS) await rescueDeliveries(runtime)
    await registrant.onHeartbeat?.()
  }
  const guarded = (): void => {
    beating ??= beat()
      .catch(missed)
      .finally(() => {
        beating = undefined
      })
  }

  await beat()
  await looking
  void listGpus().then((found) => {
    gpus = found
  })
  const timer = setInterval(guarded, HEARTBEAT_MS)
  return {
    end: async () => {
      clearInterval(timer)
      await beating
      clearTimeout(lease)
      await looking
      await runtime.queue.releaseWorker(runtime.workerId).catch(() => undefined)
    },
  }
}
