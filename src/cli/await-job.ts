import { setTimeout as wait } from 'node:timers/promises'
import { errorOf } from '../jobs/job-shape.ts'
import { isTerminal, JobFailure } from '../jobs/job-states.ts'
import type { OperatorJob } from '../jobs/list/show-job.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { commandLine } from '../values/command-line.ts'
import type { Worker } from '../worker/start-worker.ts'

const FIRST_POLLS = { ms: 20, untilMs: 1000 }
const POLL_MS = 50
const CLAIM_TIMEOUT_MS = 1500
const UNSERVED_MS = 4000

interface Spoken {
  readonly jobId: string
  readonly slug: string
}

/**
 * Waits for a voice job. If no worker takes it, this process becomes one meanwhile.
 * @param stopped cancels the job; its reason is thrown
 * @throws JobFailure
 */
export async function awaitJob(runtime: Runtime, { jobId, slug }: Spoken, stopped: AbortSignal): Promise<void> {
  const { showJob } = await import('../jobs/list/show-job.ts')
  const ctx = runtime.as({ kind: 'system' })
  const submitted = performance.now()
  let worker: Worker | null = null
  let warned = false
  try {
    for (;;) {
      if (stopped.aborted) await cancel(ctx, jobId)
      stopped.throwIfAborted()
      const job = await showJob(ctx, { jobId })
      if (isTerminal(job.status)) return assertCompleted(job)
      const waitedMs = job.status === 'queued' ? performance.now() - submitted : 0
      if (waitedMs > CLAIM_TIMEOUT_MS && worker === null) {
        const { startWorker } = await import('../worker/start-worker.ts')
        worker = await startWorker(runtime)
      }
      if (waitedMs > UNSERVED_MS && !warned) warned = await warnUnserved(ctx, slug)
      await wait(performance.now() - submitted < FIRST_POLLS.untilMs ? FIRST_POLLS.ms : POLL_MS)
    }
  } finally {
    await worker?.stop()
  }
}

async function cancel(ctx: ServiceContext, jobId: string): Promise<void> {
  const { cancelJob } = await import('../jobs/lifecycle/cancel-job.ts')
  await cancelJob(ctx, { jobId }).catch(() => {
    process.stderr.write(`The job was not cancelled: run "${commandLine(`jobs cancel ${jobId}`)}".\n`)
  })
}

async function warnUnserved(ctx: ServiceContext, slug: string): Promise<boolean> {
  const { poolWithoutServer } = await import('../worker/pool-without-server.ts')
  const pool = await poolWithoutServer(ctx, slug)
  if (pool === null) return false
  process.stderr.write(
    `The job waits, as no worker has a server for the pool ${pool}: start "${commandLine(`work --pools ${pool} --server FILE`)}", or cancel the job with Ctrl-C.\n`,
  )
  return true
}

function assertCompleted(job: OperatorJob): void {
  const error = errorOf(job)
  if (error !== null) throw new JobFailure(error.code, job.cause ?? 'no cause is known')
}
