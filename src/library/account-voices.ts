import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Recordings } from '../audio/recordings.ts'
import type { Context, Parts } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import type { EngineVoice } from '../engines/engine.ts'
import { unknownId } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'

export const MAX_VOICES = 100

export const VOICE_VIEW = {
  id: true,
  accountId: true,
  name: true,
  durationMs: true,
  transcript: true,
  language: true,
  createdAt: true,
} as const

export interface LibraryContext extends Context {
  readonly recordings: Recordings
}

export type AccountVoice = Prisma.AccountVoiceGetPayload<{ select: typeof VOICE_VIEW }>

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
  const [found] = await findVoices(db, accountId, [voiceId], query)
  return found ?? null
}

export async function findVoices(
  db: Database,
  accountId: string,
  voiceIds: readonly string[],
  query?: RowQuery,
): Promise<AccountVoice[]> {
  const ids = voiceIds.filter((id) => isId('voice', id))
  if (ids.length === 0) return []
  return db.prisma.accountVoice.findMany({
    where: { id: { in: ids }, accountId, readyAt: { not: null } },
    select: selectOf(VOICE_VIEW, query),
  })
}

/** The same for malformed, unknown and foreign ids. */
export const voiceNotFound = () => unknownId('voice')

const FOLDER = 'voices/'

export const storageKeyOf = (voiceId: string): string => `${FOLDER}${voiceId}.wav`

export const isVoiceKey = (storageKey: string): boolean => storageKey.startsWith(FOLDER)

/** null if there is no such voice. @throws the store's error */
export async function loadRecording(
  { db, storage }: Pick<Parts, 'db' | 'storage'>,
  accountId: string,
  voiceId: string,
): Promise<EngineVoice | null> {
  const voice = await findVoice(db, accountId, voiceId)
  if (voice === null) return null
  const key = storageKeyOf(voiceId)
  const file = await storage.read(key).catch(async (error: unknown) => {
    if ((await storage.stat(key)) === null) return null
    throw error
  })
  if (file === null) return null
  return {
    slug: voiceId,
    kind: 'reference',
    engineVoice: null,
    referenceAudio: Buffer.concat(await file.toArray()),
    referenceText: voice.transcript?.normalize('NFC') ?? null,
    language: voice.language,
  }
}
