import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Context, Parts } from '../context/context.ts'
import { isId } from '../values/id.ts'
import { voiceNotFound } from './account-voice.ts'

const GRACE_MS = 3_600_000
const MOST_AT_ONCE = 1000

/**
 * Hides the voice, then deletes file and row. Workers finish a failed deletion.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function deleteVoice(
  ctx: Context,
  { voiceId }: { readonly voiceId: string },
): Promise<{ readonly voiceId: string }> {
  requireScope(ctx, LIBRARY_SCOPE)
  const { accountId } = requireAccount(ctx)
  const where = { id: voiceId, accountId }
  const { count } = isId('voice', voiceId)
    ? await ctx.db.prisma.accountVoice.updateMany({ where, data: { readyAt: null } })
    : { count: 0 }
  if (count === 0) throw voiceNotFound()
  await erase(ctx, voiceId)
  return { voiceId }
}

/** Safe in several processes at once. */
export async function deleteAbandonedVoices(parts: Pick<Parts, 'db' | 'storage' | 'now'>): Promise<void> {
  const abandoned = await parts.db.prisma.accountVoice.findMany({
    where: { readyAt: null, createdAt: { lt: new Date(parts.now().getTime() - GRACE_MS) } },
    take: MOST_AT_ONCE,
    select: { id: true },
  })
  for (const { id } of abandoned) await erase(parts, id)
}

/** The file goes first, so a crash leaves a row to find. */
async function erase({ db, storage }: Pick<Parts, 'db' | 'storage'>, id: string): Promise<void> {
  const row = await db.prisma.accountVoice.findUnique({ where: { id, readyAt: null }, select: { storageKey: true } })
  if (row === null) return
  await storage.delete(row.storageKey)
  await db.prisma.accountVoice.deleteMany({ where: { id, readyAt: null } })
}
