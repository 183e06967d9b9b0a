import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { SpeechEngine } from '../src/engines/engine.ts'
import type { Runtime } from '../src/runtime/runtime.ts'

/** The stages of a job in a worker, in their order. Each ends where the next begins. */
const STAGES = ['claim', 'load', 'engine', 'check', 'store', 'complete', 'settle'] as const
type Stage = (typeof STAGES)[number]

/** Milliseconds of all jobs together: on the clock, and of this process's processors. */
export interface StageTimes {
  readonly jobs: number
  readonly wall: Readonly<Record<Stage, number>>
  readonly cpu: Readonly<Record<Stage, number>>
}

interface Mark {
  readonly at: number
  readonly cpu: number
}

const mark = (): Mark => {
  const { user, system } = process.cpuUsage()
  return { at: performance.now(), cpu: (user + system) / 1000 }
}

/** Measures a worker from outside: through the parts of its runtime and its engine. */
export function watchStages() {
  const last = new AsyncLocalStorage<{ mark: Mark; rendered: boolean }>()
  const zeros = () => Object.fromEntries(STAGES.map((stage) => [stage, 0])) as Record<Stage, number>
  const [wall, cpu] = [zeros(), zeros()]
  let jobs = 0
  const add = (stage: Stage, from: Mark): void => {
    const to = mark()
    wall[stage] += to.at - from.at
    cpu[stage] += to.cpu - from.cpu
  }
  /** The stage of the job at hand is over. */
  const end = (stage: Stage): void => {
    const job = last.getStore()
    if (job === undefined) return
    add(stage, job.mark)
    job.mark = mark()
  }
  const timed = async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
    const from = mark()
    return work().finally(() => add(stage, from))
  }

  const query = (pool: Pool, given: unknown[]): unknown => {
    const run = () => (pool.query as (...all: unknown[]) => Promise<unknown>).apply(pool, given)
    const name = (given[0] as { name?: string } | undefined)?.name
    return name === 'claim_queued_rows' ? timed('claim', run) : run()
  }
  /** Every attempt says how long its claim took, and goes on from there. */
  const observe = (real: Runtime['telemetry'], given: Parameters<Runtime['telemetry']['observe']>): void => {
    if ((given[1] as { stage?: string }).stage === 'claim') last.enterWith({ mark: mark(), rendered: false })
    real.observe(...given)
  }
  const runtime = (real: Runtime): Runtime => ({
    ...real,
    db: { ...real.db, pool: replaced(real.db.pool, 'query', (...given) => query(real.db.pool, given)) },
    telemetry: replaced(real.telemetry, 'observe', (...given) =>
      observe(real.telemetry, given as Parameters<typeof real.telemetry.observe>),
    ),
    boss: replaced(real.boss, 'complete', (...given) =>
      timed('settle', () => (real.boss.complete as (...all: unknown[]) => Promise<unknown>).apply(real.boss, given)),
    ) as PgBoss,
    storage: {
      ...real.storage,
      put: (...given) => {
        end('check')
        return real.storage.put(...given).finally(() => end('store'))
      },
    },
    notifier: {
      ...real.notifier,
      notify: (...given) => {
        // Word of the job's end: it was told of its claim, too, before it was rendered.
        const job = last.getStore()
        if (job?.rendered) {
          end('complete')
          job.rendered = false
          jobs++
        }
        return real.notifier.notify(...given)
      },
    },
  })
  const engine = (real: SpeechEngine): SpeechEngine => ({
    ...real,
    speak: async (request) => {
      end('load')
      const speech = await real.speak(request)
      end('engine')
      const job = last.getStore()
      if (job !== undefined) job.rendered = true
      return speech
    },
  })
  return { runtime, engine, times: (): StageTimes => ({ jobs, wall, cpu }) }
}

/** The same object with another method: its own fields stay reachable for the methods that are left. */
function replaced<T extends object>(target: T, name: keyof T, method: (...given: unknown[]) => unknown): T {
  return new Proxy(target, {
    get: (_target, key) => {
      if (key === name) return method
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** One line a stage: milliseconds a job. `busy` is the run with all slots, `alone` one job after the other. */
export function stageTable(busy: StageTimes, alone: StageTimes): string[] {
  const cell = (value: number) => value.toFixed(2).padStart(8)
  const perJob = (times: StageTimes, stage: Stage, what: 'wall' | 'cpu') => times[what][stage] / Math.max(1, times.jobs)
  const lines = STAGES.map((stage) => {
    const [full, one, cpu] = [perJob(busy, stage, 'wall'), perJob(alone, stage, 'wall'), perJob(alone, stage, 'cpu')]
    return `${stage.padEnd(9)}${cell(full)}${cell(one)}${cell(cpu)}`
  })
  const total = (times: StageTimes, what: 'wall' | 'cpu') =>
    STAGES.reduce((sum, stage) => sum + perJob(times, stage, what), 0)
  return [
    'ms a job, 32 at once on the clock | one at a time on the clock | and of the worker’s processor',
    ...lines,
    `${'all'.padEnd(9)}${cell(total(busy, 'wall'))}${cell(total(alone, 'wall'))}${cell(total(alone, 'cpu'))}`,
  ]
}
