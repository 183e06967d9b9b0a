import { hash } from 'node:crypto'
import type { PrismaTx } from './database.ts'

const MAX_KNOWN = 500
const known = new Map<string, string>()

interface Statement {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

export interface Sql {
  query<Row extends object>(statement: Statement): Promise<{ readonly rows: Row[] }>
}

/** Runs SQL in a Prisma transaction. Unlike the pool it returns 64-bit integers as bigint and bytes as Uint8Array. */
export const sqlIn = (tx: PrismaTx): Sql => ({
  query: async <Row extends object>({ text, values }: Statement) => ({
    rows: await tx.$queryRawUnsafe<Row[]>(text, ...values),
  }),
})

export function statementName(name: string, text: string): string {
  const digest = known.get(text) ?? hash('sha1', text, 'base64url')
  if (known.size < MAX_KNOWN) known.set(text, digest)
  return `${name} ${digest}`
}
