import { SHARED_QUEUES } from '../catalog/job-kinds.ts'
import type { Context } from '../context/context.ts'
import { queueDepths } from '../queue/pgboss/queue-depth.ts'
import { commandLine } from '../values/program.ts'
import { checkEngines } from '../voice/trials/try-engine.ts'
import { FAILURES } from '../worker/engines/engine-failure.ts'
import { type EngineStatus, engines, isSilent as isSilentEngine } from '../worker/engines/engine-states.ts'
import { gpusOf, isSilent, serverOf, silentGpusOf, type WorkerRow, workers } from '../worker/workers.ts'
import { type Check, error, orOk, warning } from './finding.ts'

export const engineCheck: Check<Context> = {
  check: 'engines',
  needsSchema: true,
  run: async (ctx) => {
    const all = await engines(ctx)
    const unknown = new Set(all.flatMap(({ endpoint, state }) => (state === 'unknown' ? [endpoint.slug] : [])))
    const checks = await checkEngines(ctx, ({ slug }) => unknown.has(slug))
    const wrong = checks.flatMap(({ endpoint, error: reason, missing }) => [
      ...(reason === null ? [] : [error(`${endpoint}: ${reason}`, 'start its server, or correct its endpoint file')]),
      ...(missing.length === 0
        ? []
        : [error(`${endpoint}: the engine lacks ${missing.join(', ')}`, 'name voices that it has')]),
    ])
    const findings = [...all.flatMap(asWorkersFound), ...wrong]
    return orOk(findings, `${all.length === 1 ? 'one endpoint speaks' : `${all.length} endpoints speak`}`)
  },
}

/** An engine that another server speaks for, or that has other voices, is a warning. */
function asWorkersFound({ endpoint, state, servers }: EngineStatus) {
  const severity = isSilentEngine({ state }) ? error : warning
  return servers.flatMap(({ state: own, failure, error: reason, address }) => {
    if (failure === null || own === 'unknown') return []
    const at = address === null || servers.length === 1 ? '' : ` at ${address}`
    return [severity(`${endpoint.slug}${at}: ${reason}`, FAILURES[failure].advice)]
  })
}

export const workerCheck: Check<Context> = {
  check: 'workers',
  needsSchema: true,
  run: async (ctx) => {
    const all = await workers(ctx)
    const now = ctx.now().getTime()
    const alive = all.filter((worker) => !isSilent(worker, now))
    const waiting = (await queueDepths(ctx.db.pool, SHARED_QUEUES)).filter(({ waiting: jobs }) => jobs > 0)
    const unserved = waiting.filter(({ pool }) => !alive.some(({ pools }) => pool === null || pools.includes(pool)))
    const findings = [
      ...unserved.map(({ pool, waiting: jobs, oldestSeconds }) => {
        const since = Math.round(oldestSeconds ?? 0)
        const remedy =
          pool === null ? 'start a worker' : `start a worker for it: ${commandLine(`work --pools ${pool}`)}`
        return error(
          `${jobs} jobs wait for ${pool ?? 'generations'}, for up to ${since} s, and no worker serves it`,
          remedy,
        )
      }),
      ...alive.flatMap(silentCards),
      ...alive.flatMap((worker) => {
        const server = serverOf(worker)
        if (server?.state !== 'failed') return []
        return [warning(`the server of ${worker.host} failed: ${server.error}`, 'correct what its last lines say')]
      }),
    ]
    const dead = all.length - alive.length
    return orOk(
      findings,
      `${alive.length} alive${beats(alive, now)}${dead > 0 ? `, ${dead} ended within a day` : ''}; every pool with waiting jobs has a worker`,
    )
  },
}

function beats(alive: readonly WorkerRow[], now: number): string {
  if (alive.length === 0) return ''
  const oldest = Math.max(0, ...alive.map(({ heartbeatAt }) => now - heartbeatAt.getTime()))
  const cards = alive.flatMap(gpusOf).length
  return `, heard of within ${(oldest / 1000).toFixed(1)} s${cards > 0 ? `, ${cards === 1 ? 'one graphics card' : `${cards} graphics cards`}` : ''}`
}

const silentCards = (worker: WorkerRow) =>
  silentGpusOf(worker).map((name) =>
    warning(
      `the graphics card ${name} of ${worker.host} does not answer`,
      'run nvidia-smi there: its driver may have to be loaded anew',
    ),
  )
