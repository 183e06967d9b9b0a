import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { PrismaClient } from '../../prisma/generated/prisma/client.ts'
import { unavailable } from '../errors/service-error.ts'
import { withQuery } from './with-query.ts'

type Query = (...args: unknown[]) => Promise<unknown>

export interface BoundPrisma {
  readonly prisma: PrismaClient
  query: Query
}

/** Each takes 20 ms of the event loop to make. */
const MOST = 32

/** Prisma clients whose statements one caller at a time runs by its own `query`, at most 32. They are reused. */
export class BoundPrismas {
  readonly #pool: Pool
  readonly #free: BoundPrisma[] = []
  #inUse = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @throws UNAVAILABLE if all are in use */
  take(query: Query): BoundPrisma {
    if (this.#inUse >= MOST) throw unavailable('too many queries read several objects at once')
    const bound = this.#free.pop() ?? this.#open()
    this.#inUse++
    bound.query = query
    return bound
  }

  /** The caller runs no more statements. */
  giveBack(bound: BoundPrisma): void {
    this.#inUse--
    this.#free.push(bound)
  }

  /** Statements of the caller may still be under way. */
  discard({ prisma }: BoundPrisma): void {
    this.#inUse--
    void prisma.$disconnect()
  }

  async close(): Promise<void> {
    await Promise.all(this.#free.splice(0).map(({ prisma }) => prisma.$disconnect()))
  }

  #open(): BoundPrisma {
    const pool = withQuery(this.#pool, (...args) => bound.query(...args))
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
    const bound: BoundPrisma = { prisma, query: async () => undefined }
    return bound
  }
}
