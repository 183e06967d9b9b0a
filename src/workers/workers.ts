import { type Context, requireOperator } from '../context.ts'
import type { Gpu, Worker } from './worker.ts'

/** All workers that live or died within a day, newest heartbeat first. @throws UNAUTHORIZED, FORBIDDEN without the scope `operator` */
export async function workers(ctx: Context): Promise<Worker[]> {
  requireOperator(ctx)
  const rows = await ctx.db.prisma.worker.findMany({ orderBy: [{ heartbeatAt: 'desc' }, { id: 'asc' }] })
  return rows.map((row) => ({ ...row, gpus: gpusOf(row.gpus) }))
}

const gpusOf = (stored: unknown): Gpu[] =>
  (stored as { name: string; memory_mib: number }[]).map((gpu) => ({ name: gpu.name, memoryMib: gpu.memory_mib }))
