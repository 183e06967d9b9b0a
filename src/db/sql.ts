import type { PrismaTx } from './database.ts'

/** A statement and its values; one with a name is prepared once for a connection. */
interface Statement {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

/** What takes statements inside a transaction: one of the pool's connections, or a transaction of Prisma Client's. */
export interface Sql {
  query<Row extends object>(statement: Statement): Promise<{ readonly rows: Row[] }>
}

/**
 * Statements in a transaction of Prisma Client's, for the few that other rooms have in SQL. Integers of 64 bits come as bigint, bytes as
 * Uint8Array: both differ from the pool's own connections.
 */
export const sqlIn = (tx: PrismaTx): Sql => ({
  query: async <Row extends object>({ text, values }: Statement) => ({
    rows: await tx.$queryRawUnsafe<Row[]>(text, ...values),
  }),
})
