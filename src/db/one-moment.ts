import type { Pool, PoolClient } from 'pg'
import { nextTurn } from '../concurrency/next-turn.ts'
import type { Release } from '../concurrency/semaphore.ts'
import type { BoundPrisma } from './bound-prisma.ts'
import { callerGone } from './cancellable-client.ts'
import { isStandbysFailure } from './connections/standby.ts'
import type { Checkout, Database } from './database.ts'
import { withQuery } from './with-query.ts'

/** Not read only: a refused write would make the pool replace all its connections. */
const BEGIN = `begin isolation level repeatable read; set local idle_in_transaction_session_timeout = '15s'`

/** `list`: short reads, and a page with its total. `several`: statistics or the ledger are among them. */
export type ReadKind = 'list' | 'several'

interface Reader {
  readonly kind: ReadKind
  readonly signal: AbortSignal
  readonly owner: string | undefined
}

type Query = (...args: unknown[]) => Promise<unknown>

const UNLIMITED = { acquire: async () => () => undefined }

interface Outcome {
  readonly errors?: readonly unknown[]
}

/**
 * Runs the statements of `read`, Prisma's as well, one after the other on one snapshot of PostgreSQL. The first statement takes it, for
 * several reads on a connection of `readPool`, for a list on one of `pool`, within the owner's share. Long reads of a list stay apart.
 * Scans of several reads hold the owner's share of scans together, from the first one to the end.
 * If a window closes only after that, or the standby fails, `read` runs again on a later snapshot.
 */
export async function atOneMoment<Result extends Outcome>(
  db: Database,
  reader: Reader,
  read: (db: Database) => Promise<Result> | Result,
): Promise<Result> {
  const closed = new Set<string>()
  for (;;) {
    const moment = new Moment(db, reader, closed)
    let hasAllAnswers = false
    try {
      const result = await read(moment.database)
      hasAllAnswers = result.errors === undefined
      if (!moment.isTooEarly || reader.signal.aborted) return result
    } catch (error) {
      if (!moment.isTooEarly || reader.signal.aborted) throw error
    } finally {
      moment.end(hasAllAnswers)
    }
  }
}

class Moment {
  readonly database: Database
  /** True if a window was closed after the snapshot was taken, or the standby failed. */
  isTooEarly = false
  readonly #db: Database
  readonly #reader: Reader
  readonly #closed: Set<string>
  readonly #closing = new Set<Promise<void>>()
  readonly #scans = new Map<string, Promise<Release>>()
  #session: Promise<Session> | undefined
  #bound: BoundPrisma | undefined
  #hasBegun = false
  #hasEnded = false

  constructor(db: Database, reader: Reader, closed: Set<string>) {
    this.#db = db
    this.#reader = reader
    this.#closed = closed
    this.database = this.#bind()
  }

  /** @param hasAllAnswers false: statements of Prisma may still be under way */
  end(hasAllAnswers: boolean): void {
    this.#hasEnded = true
    void this.#endSession()
    if (this.#bound === undefined) return
    if (hasAllAnswers) this.#db.boundPrismas.giveBack(this.#bound)
    else this.#db.boundPrismas.discard(this.#bound)
  }

  async #endSession(): Promise<void> {
    await this.#session?.then(
      (session) => session.end(),
      () => undefined,
    )
    for (const scan of this.#scans.values())
      void scan.then(
        (release) => release(),
        () => undefined,
      )
  }

  #bind(): Database {
    const query: Query = (...args) => this.#run(args)
    const scanShares = { acquire: (owner: string) => this.#acquireScans(owner) }
    const { pool, readPool, boundPrismas } = this.#db
    const prisma = () => {
      this.#requireOpen()
      this.#bound ??= boundPrismas.take(query)
      return this.#bound.prisma
    }
    return {
      ...this.#db,
      pool: withQuery(pool, query),
      ...(this.#reader.kind === 'several' && {
        readPool: withQuery(readPool, query),
        readShares: UNLIMITED,
        scanShares,
      }),
      get prisma() {
        return prisma()
      },
      closeFirst: (window, close) => this.#closeFirst(window, close),
    }
  }

  async #acquireScans(owner: string): Promise<Release> {
    const scan = this.#scans.get(owner) ?? this.#db.scanShares.acquire(owner, this.#reader.signal)
    this.#scans.set(owner, scan)
    await scan
    return () => undefined
  }

  async #run(args: unknown[]): Promise<unknown> {
    this.#requireOpen()
    this.#session ??= this.#open()
    try {
      return await (await this.#session).run(args)
    } catch (error) {
      this.isTooEarly ||= isStandbysFailure(error)
      throw error
    }
  }

  /** GraphQL answers at the first error of a field that cannot be null: the fields beside it may go on, and must open nothing. */
  #requireOpen(): void {
    if (this.#hasEnded) throw callerGone()
  }

  async #open(): Promise<Session> {
    // Fields that begin in the same turn name the windows that they close.
    await nextTurn()
    while (this.#closing.size > 0) await Promise.allSettled(this.#closing)
    this.#hasBegun = true
    const { kind, owner = '', signal } = this.#reader
    const { pool, workShares, readPool, readShares } = this.#db
    const [source, shares] = kind === 'list' ? [pool, workShares] : [readPool, readShares]
    const release = await shares.acquire(owner, signal)
    try {
      const client = await source.connect()
      return new Session(client, this.#db, () => this.#hasEnded || signal.aborted, release)
    } catch (error) {
      release()
      throw error
    }
  }

  async #closeFirst(window: string, close: (pool: Pool) => Promise<void>): Promise<void> {
    if (this.#closed.has(window)) return
    if (this.#hasBegun) this.isTooEarly = true
    const closing = close(this.#db.pool)
    this.#closing.add(closing)
    try {
      await closing
      this.#closed.add(window)
    } finally {
      this.#closing.delete(closing)
    }
  }
}

/** A transaction on one connection. Its statement is cancelled when it is over. */
class Session {
  readonly #client: PoolClient
  readonly #checkouts: Database['checkouts']
  readonly #checkout: Checkout
  readonly #release: () => void
  #last: Promise<unknown>

  constructor(
    client: PoolClient,
    { checkouts }: Pick<Database, 'checkouts'>,
    isOver: () => boolean,
    release: () => void,
  ) {
    this.#client = client
    this.#checkouts = checkouts
    this.#checkout = { client, isOver, cancelled: null }
    this.#release = release
    this.#last = client.query(BEGIN)
    checkouts.add(this.#checkout)
  }

  async run(args: unknown[]): Promise<unknown> {
    const { isOver } = this.#checkout
    const query = this.#client.query.bind(this.#client) as Query
    const answer = this.#last.then(() => (isOver() ? Promise.reject(callerGone()) : query(...args)))
    this.#last = answer.catch(() => (isOver() ? undefined : this.#beginAgain()))
    this.#last.catch(() => undefined)
    return answer.catch((error: unknown) => Promise.reject(isOver() ? callerGone() : error))
  }

  /** A failed statement ends its transaction. The answer has an error then, and what is read later comes from a later snapshot. */
  async #beginAgain(): Promise<void> {
    await this.#client.query('rollback')
    await this.#client.query(BEGIN)
  }

  async end(): Promise<void> {
    await this.#last.catch(() => undefined)
    this.#checkouts.delete(this.#checkout)
    // A cancel request must not hit the connection's next user.
    await this.#checkout.cancelled
    await this.#client.query('commit').then(
      () => this.#client.release(),
      (error: Error) => this.#client.release(error),
    )
    this.#release()
  }
}
