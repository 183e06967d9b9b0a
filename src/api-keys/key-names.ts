import type { Context } from '../context/context.ts'

/** The caller authorises. */
export async function keyNames({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.prisma.apiKey.findMany({ where: { id: { in: [...ids] } }, select: { id: true, name: true } })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
