import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { isId } from '../values/id.ts'
import { type AccountVoice, VOICE_VIEW } from './account-voice.ts'

/** The caller's voices, oldest first. @throws UNAUTHORIZED, FORBIDDEN */
export async function accountVoices(ctx: Context, input?: { readonly query?: RowQuery }): Promise<AccountVoice[]> {
  requireScope(ctx, LIBRARY_SCOPE)
  return voicesOf(ctx.db, requireAccount(ctx).accountId, input?.query)
}

export const voicesOf = (db: Database, accountId: string, query?: RowQuery): Promise<AccountVoice[]> =>
  db.prisma.accountVoice.findMany({
    where: { accountId, readyAt: { not: null } },
    orderBy: { id: 'asc' },
    select: selectOf(VOICE_VIEW, query),
  })

export async function findVoice(
  db: Database,
  accountId: string,
  voiceId: string,
  query?: RowQuery,
): Promise<AccountVoice | null> {
  if (!isId('voice', voiceId)) return null
  return db.prisma.accountVoice.findFirst({
    where: { id: voiceId, accountId, readyAt: { not: null } },
    select: selectOf(VOICE_VIEW, query),
  })
}
