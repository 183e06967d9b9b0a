import type { Context } from '../context/context.ts'

/** Released attempts by job id. The verb authorises the caller. */
export async function loadReleases({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, number>> {
  const where = { id: { in: [...ids] } }
  const rows = await db.prisma.job.findMany({ where, select: { id: true, releases: true } })
  return new Map(rows.map(({ id, releases }) => [id, releases]))
}
