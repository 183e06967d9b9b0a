import { type Context, requireScope } from '../context.ts'
import { forbidden } from '../errors.ts'
import type { Gpu, Worker } from './worker.ts'

/** What an operator's key holds. */
export const OPERATOR_SCOPE = 'operator'

/** All workers that live or died within a day, newest heartbeat first. @throws UNAUTHORIZED, FORBIDDEN without the scope `operator` */
export async function workers(ctx: Context): Promise<Worker[]> {
  requireScope(ctx, OPERATOR_SCOPE)
  if (ctx.actor.kind === 'account') throw forbidden(OPERATOR_SCOPE)
  const rows = await ctx.db.prisma.worker.findMany({ orderBy: [{ heartbeatAt: 'desc' }, { id: 'asc' }] })
  return rows.map((row) => ({ ...row, gpus: gpusOf(row.gpus) }))
}

const gpusOf = (stored: unknown): Gpu[] =>
  (stored as { name: string; memory_mib: number }[]).map((gpu) => ({ name: gpu.name, memoryMib: gpu.memory_mib }))
