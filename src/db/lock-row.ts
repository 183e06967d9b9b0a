import { Prisma } from '../../prisma/generated/prisma/client.ts'
import type { PrismaTx } from './database.ts'

/**
 * Makes transactions that change one row, or depend on it, wait for each other. Rows that refer to it may be added meanwhile. SQL: Prisma
 * Client has no lock of a row.
 */
export async function lockRow(tx: PrismaTx, table: 'account' | 'companion_chat' | 'user', id: string): Promise<void> {
  await tx.$executeRaw`select from ${Prisma.raw(`"${table}"`)} where id = ${id} for no key update`
}
