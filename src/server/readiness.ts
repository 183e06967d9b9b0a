import type { FastifyInstance } from 'fastify'
import type { Parts } from '../context/context.ts'
import { type DatabaseState, databaseState } from '../db/connections/database-state.ts'
import type { StoreState, StoreWatch } from '../storage/store-watch.ts'

/** A worker that wrote no heartbeat for so long is about to be taken for dead. */
const LATEST_HEARTBEAT_SECONDS = 5

/** How each part of a process is: `ok`, or the one word that keeps it from its work. */
interface Report {
  readonly status: 'ok' | 'unready'
  readonly database: DatabaseState
  /** Whether notifications of the database arrive. */
  readonly bus: 'ok' | 'away'
  readonly catalog: 'ok' | 'empty'
  readonly process: 'ok' | 'draining'
  /** Whether artifacts can be stored; jobs wait until they can. */
  readonly storage: StoreState
  /** Absent where the process has no worker. */
  readonly worker?: 'ok' | 'silent'
}

interface ReadinessParts extends Pick<Parts, 'db' | 'notifier' | 'catalog'> {
  readonly storeWatch: Pick<StoreWatch, 'check'>
}

/** Finds out whether a process can do its work: what load balancers and operators ask at `/health/ready`. */
export class Readiness {
  readonly #parts: ReadinessParts
  #heartbeatAge: (() => number) | undefined
  #draining = false

  constructor(parts: ReadinessParts) {
    this.#parts = parts
  }

  /** The process is about to end: from now on it is not ready. */
  drain(): void {
    this.#draining = true
  }

  get isDraining(): boolean {
    return this.#draining
  }

  /** The process has a worker as well. @param heartbeatAge seconds since its last heartbeat was written */
  follow(heartbeatAge: () => number): void {
    this.#heartbeatAge = heartbeatAge
  }

  async report(): Promise<Report> {
    const { notifier, catalog, db, storeWatch } = this.#parts
    const [database, storage] = await Promise.all([databaseState(db), storeWatch.check()])
    const parts = {
      database,
      bus: notifier.connected ? 'ok' : 'away',
      // The version of a catalog that was never read is that of none.
      catalog: catalog.isLoaded ? 'ok' : 'empty',
      process: this.#draining ? 'draining' : 'ok',
      storage,
    } as const
    const worker =
      this.#heartbeatAge === undefined ? undefined : this.#heartbeatAge() < LATEST_HEARTBEAT_SECONDS ? 'ok' : 'silent'
    const isReady = [...Object.values(parts), worker ?? 'ok'].every((part) => part === 'ok')
    return { status: isReady ? 'ok' : 'unready', ...parts, ...(worker !== undefined && { worker }) }
  }
}

/** A process that is about to end answers every request, and takes no further one over the same connection. */
export function closeWhileDraining(app: FastifyInstance, readiness: Readiness): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (readiness.isDraining) reply.raw.shouldKeepAlive = false
    done()
  })
}
