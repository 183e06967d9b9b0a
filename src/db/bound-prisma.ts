import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { PrismaClient } from '../../prisma/generated/prisma/client.ts'
import { withQuery } from './with-query.ts'

type Query = (...args: unknown[]) => Promise<unknown>

export interface BoundPrisma {
  readonly prisma: PrismaClient
  query: Query
}

/** Prisma clients whose statements one caller at a time runs by its own `query`. They are reused, because a new one takes 20 ms. */
export class BoundPrismas {
  readonly #pool: Pool
  readonly #free: BoundPrisma[] = []

  constructor(pool: Pool) {
    this.#pool = pool
  }

  take(query: Query): BoundPrisma {
    const bound = this.#free.pop() ?? this.#open()
    bound.query = query
    return bound
  }

  /** The caller runs no more statements. */
  giveBack(bound: BoundPrisma): void {
    this.#free.push(bound)
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
