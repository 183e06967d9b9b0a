import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { checkName } from '../accounts/account.ts'
import type { Context } from '../context/context.ts'
import type { RowQuery } from '../db/row-query.ts'
import { type AccountVoice, voiceNotFound } from './account-voice.ts'
import { findVoice } from './account-voices.ts'
import { nameTaken } from './add-voice.ts'

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST */
export async function renameVoice(
  ctx: Context,
  { voiceId, name: given, query }: { readonly voiceId: string; readonly name: string; readonly query?: RowQuery },
): Promise<AccountVoice> {
  requireScope(ctx, LIBRARY_SCOPE)
  const { accountId } = requireAccount(ctx)
  const found = await findVoice(ctx.db, accountId, voiceId, query)
  if (found === null) throw voiceNotFound()
  checkName(given)
  const name = given.normalize('NFC')
  const where = { id: voiceId, accountId, readyAt: { not: null } }
  const { count } = await ctx.db.prisma.accountVoice.updateMany({ where, data: { name } }).catch(nameTaken)
  if (count === 0) throw voiceNotFound()
  return { ...found, name }
}
