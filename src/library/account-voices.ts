import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { isId } from '../values/id.ts'
import { type AccountVoice, VOICE_VIEW } from './account-voice.ts'

/** The caller's voices, oldest first. @throws UNAUTHORIZED, FORBIDDEN */
export async function accountVoices(ctx: Context): Promise<AccountVoice[]> {
  requireScope(ctx, LIBRARY_SCOPE)
  return voicesOf(ctx.db, requireAccount(ctx).accountId)
}

export const voicesOf = (db: Database, accountId: string): Promise<AccountVoice[]> =>
  db.prisma.accountVoice.findMany({
    where: { accountId, readyAt: { not: null } },
    orderBy: { id: 'asc' },
    select: VOICE_VIEW,
  })

export async function findVoice(db: Database, accountId: string, voiceId: string): Promise<AccountVoice | null> {
  if (!isId('voice', voiceId)) return null
  return db.prisma.accountVoice.findFirst({
    where: { id: voiceId, accountId, readyAt: { not: null } },
    select: VOICE_VIEW,
  })
}
