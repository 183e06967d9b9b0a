import type { FastifyInstance } from 'fastify'
import { inTime } from '../concurrency/in-time.ts'
import type { Parts } from '../context/context.ts'
import { databaseState } from '../db/connections/database-state.ts'
import { unavailable } from '../errors/service-error.ts'
import type { StoreWatch } from '../storage/store-watch.ts'
import { engineStates, isSilent } from '../worker/engines/engine-states.ts'
import { errorBody } from './errors-to-json.ts'

const LATEST_HEARTBEAT_SECONDS = 5
const ENGINES_MS = 1000
const OK = { status: 'ok' }
const RETRY_AFTER_SECONDS = 1

interface ReadinessParts extends Pick<Parts, 'db' | 'notifier' | 'catalog'> {
  readonly storeWatch: Pick<StoreWatch, 'check'>
}

/** Reports whether a process can work, for `/health/ready`. */
export class Readiness {
  readonly #parts: ReadinessParts
  #heartbeatAge: (() => number) | undefined
  #draining = false

  constructor(parts: ReadinessParts) {
    this.#parts = parts
  }

  drain(): void {
    this.#draining = true
  }

  get isDraining(): boolean {
    return this.#draining
  }

  /** @param heartbeatAge seconds since the worker's last written heartbeat */
  follow(heartbeatAge: () => number): void {
    this.#heartbeatAge = heartbeatAge
  }

  async report() {
    const { notifier, catalog, db, storeWatch } = this.#parts
    const [database, storage, engines] = await Promise.all([databaseState(db), storeWatch.check(), this.#engines()])
    const parts = {
      database,
      bus: notifier.connected ? 'ok' : 'away',
      catalog: catalog.isLoaded ? 'ok' : 'empty',
      process: this.#draining ? 'draining' : 'ok',
      storage,
    } as const
    const worker =
      this.#heartbeatAge === undefined ? undefined : this.#heartbeatAge() < LATEST_HEARTBEAT_SECONDS ? 'ok' : 'silent'
    const isReady = [...Object.values(parts), worker ?? 'ok'].every((part) => part === 'ok')
    return { status: isReady ? 'ok' : 'unready', ...parts, ...(worker !== undefined && { worker }), engines }
  }

  /** No engine makes a process unready: others speak, and jobs wait. */
  async #engines(): Promise<'ok' | 'failing' | 'unknown'> {
    const asked = engineStates(this.#parts).then(
      (all) => (all.some(isSilent) ? ('failing' as const) : ('ok' as const)),
      () => 'unknown' as const,
    )
    return inTime(ENGINES_MS, asked, () => 'unknown')
  }
}

/** A draining process closes each connection after its next answer. */
export function closeWhileDraining(app: FastifyInstance, readiness: Readiness): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (readiness.isDraining) reply.raw.shouldKeepAlive = false
    done()
  })
}

export function mountHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get('/health/live', (_request, reply) => reply.header('cache-control', 'no-store').send(OK))
  app.get('/health/ready', async (_request, reply) => {
    const { status, headers, body } = await readinessAnswer(readiness)
    return reply.code(status).headers(headers).send(body)
  })
}

async function readinessAnswer(readiness: Readiness) {
  const report = await readiness.report()
  const isReady = report.status === 'ok'
  return {
    status: isReady ? 200 : 503,
    headers: {
      'cache-control': 'no-store',
      ...(!isReady && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
    },
    body: isReady ? report : { ...JSON.parse(errorBody(unavailable())), ...report },
  }
}
