import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Context, Parts } from '../context/context.ts'
import { isId } from '../values/id.ts'
import { voiceNotFound } from './account-voice.ts'

/** Longer than a store that is away is waited for by an upload. */
const GRACE_MS = 3_600_000
const MOST_AT_ONCE = 1000

/**
 * Deletes a voice of the caller's library with its recording. It is unknown from the first moment on; where its file cannot be deleted now,
 * the call fails and may be repeated, and workers do it later all the same.
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

/** Deletes the files and rows of voices whose upload or deletion was broken off. Any number of processes may do this at once. */
export async function deleteAbandonedVoices(parts: Pick<Parts, 'db' | 'storage' | 'now'>): Promise<void> {
  const abandoned = await parts.db.prisma.accountVoice.findMany({
    where: { readyAt: null, createdAt: { lt: new Date(parts.now().getTime() - GRACE_MS) } },
    take: MOST_AT_ONCE,
    select: { id: true },
  })
  for (const { id } of abandoned) await erase(parts, id)
}

/** Bytes go first, so that whatever a crash leaves undone is found again. */
async function erase({ db, storage }: Pick<Parts, 'db' | 'storage'>, id: string): Promise<void> {
  const row = await db.prisma.accountVoice.findUnique({ where: { id, readyAt: null }, select: { storageKey: true } })
  if (row === null) return
  await storage.delete(row.storageKey)
  await db.prisma.accountVoice.deleteMany({ where: { id, readyAt: null } })
}
