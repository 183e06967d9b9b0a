import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import type { Gpu } from './worker.ts'

export const WORKER_VIEW = {
  id: true,
  host: true,
  version: true,
  pools: true,
  slots: true,
  inFlight: true,
  gpus: true,
  startedAt: true,
  heartbeatAt: true,
} as const

/** A process that takes jobs, as it registered. */
export type WorkerRow = Prisma.WorkerGetPayload<{ select: typeof WORKER_VIEW }>

/** All workers that live or died within a day, newest heartbeat first. @throws UNAUTHORIZED, FORBIDDEN without the scope `operator` */
export async function workers(ctx: Context): Promise<WorkerRow[]> {
  requireOperator(ctx)
  return ctx.db.prisma.worker.findMany({ orderBy: [{ heartbeatAt: 'desc' }, { id: 'asc' }], select: WORKER_VIEW })
}

/** Its graphics cards. */
export const gpusOf = ({ gpus }: Pick<WorkerRow, 'gpus'>): Gpu[] =>
  (gpus as { name: string; memory_mib: number }[]).map((gpu) => ({ name: gpu.name, memoryMib: gpu.memory_mib }))
