import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { isId } from '../values/id.ts'
import { type AccountVoice, VOICE_VIEW } from './account-voice.ts'

/** The voices of the caller's library, oldest first: at most MAX_VOICES. @throws UNAUTHORIZED, FORBIDDEN */
export async function accountVoices(ctx: Context): Promise<AccountVoice[]> {
  requireScope(ctx, LIBRARY_SCOPE)
  return voicesOf(ctx.db, requireAccount(ctx).accountId)
}

/** An account's voices, oldest first. */
export const voicesOf = (db: Database, accountId: string): Promise<AccountVoice[]> =>
  db.prisma.accountVoice.findMany({
    where: { accountId, readyAt: { not: null } },
    orderBy: { id: 'asc' },
    select: VOICE_VIEW,
  })

/** One of an account's voices; null for a malformed id, an unknown one and another account's. */
export async function findVoice(db: Database, accountId: string, voiceId: string): Promise<AccountVoice | null> {
  if (!isId('voice', voiceId)) return null
  return db.prisma.accountVoice.findFirst({
    where: { id: voiceId, accountId, readyAt: { not: null } },
    select: VOICE_VIEW,
  })
}
