import { createHash } from 'node:crypto'
import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { checkName } from '../accounts/account.ts'
import { durationMs, type Wav, writeWav } from '../audio/wav.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import { LANGUAGES } from '../engines/espeak/detect-language.ts'
import { type Detail, invalidRequest } from '../errors/service-error.ts'
import { idTime, newId } from '../values/id.ts'
import { hasControl } from '../values/printable.ts'
import { type AccountVoice, type LibraryContext, MAX_VOICES, storageKeyOf, VOICE_VIEW } from './account-voice.ts'

const MAX_CONSENT_CHARACTERS = 2000
const MAX_TRANSCRIPT_CHARACTERS = 2000
const UNIQUE_VIOLATION = 'P2002'

export interface NewVoice {
  /** Unique per account. */
  readonly name: string
  /** Up to 10 MiB: WAV, FLAC, MP3, Ogg Opus or WebM. */
  readonly audio: Uint8Array
  readonly consent: string
  readonly transcript?: string | null | undefined
  readonly language?: string | null | undefined
}

/**
 * Stores a recording of 1 to 30 s as 24 kHz mono WAV. Callers see the voice after its file is stored.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function addVoice(ctx: LibraryContext, input: NewVoice): Promise<AccountVoice> {
  requireScope(ctx, LIBRARY_SCOPE)
  const { accountId } = requireAccount(ctx)
  checkVoice(input)
  const judged = await ctx.recordings.read(accountId, input.audio)
  if ('violation' in judged) throw invalid([{ path: 'audio_sample', message: judged.violation }])
  const file = writeWav(judged.wav.samples, judged.wav.sampleRate)
  const row = rowOf(ctx, accountId, input, judged.wav, file)
  await reserve(ctx, accountId, row)
  try {
    await ctx.storage.put(row.storageKey, file, { contentType: 'audio/wav' })
    return await ctx.db.prisma.accountVoice.update({
      where: { id: row.id },
      data: { readyAt: ctx.now() },
      select: VOICE_VIEW,
    })
  } catch (error) {
    await ctx.storage.delete(row.storageKey).catch(() => undefined)
    await ctx.db.prisma.accountVoice.deleteMany({ where: { id: row.id, readyAt: null } }).catch(() => undefined)
    throw error
  }
}

const invalid = (details: readonly Detail[]) => invalidRequest('Invalid request: see `details`.', details)

function checkVoice({ name, audio, consent, transcript, language }: NewVoice): void {
  checkName(name)
  const details: Detail[] = []
  const wrong = (path: string, message: string) => details.push({ path, message })
  if (audio.length === 0) wrong('audio_sample', 'is empty')
  if (consent.trim() === '') wrong('consent', 'must say how the speaker agreed')
  if (consent.length > MAX_CONSENT_CHARACTERS) wrong('consent', tooLong(MAX_CONSENT_CHARACTERS))
  if ((transcript?.length ?? 0) > MAX_TRANSCRIPT_CHARACTERS) wrong('ref_text', tooLong(MAX_TRANSCRIPT_CHARACTERS))
  if (hasControl(consent)) wrong('consent', 'must not hold control characters')
  if (hasControl(transcript ?? '')) wrong('ref_text', 'must not hold control characters')
  if (language != null && !LANGUAGES.some((known) => known === language))
    wrong('language', `must be one of ${LANGUAGES.join(', ')}`)
  if (details.length > 0) throw invalid(details)
}

const tooLong = (characters: number): string => `must NOT have more than ${characters} characters`

function rowOf(
  ctx: LibraryContext,
  accountId: string,
  { name, consent, transcript, language }: NewVoice,
  wav: Wav,
  file: Uint8Array,
) {
  const id = newId('voice', ctx.now())
  return {
    id,
    accountId,
    name: name.normalize('NFC'),
    storageKey: storageKeyOf(id),
    bytes: BigInt(file.length),
    sha256: Uint8Array.from(createHash('sha256').update(file).digest()),
    durationMs: durationMs(wav),
    transcript: transcript?.trim() || null,
    language: language ?? null,
    consent,
    createdAt: idTime(id),
  }
}

/** The row precedes the file, so no file is unknown. */
async function reserve(ctx: LibraryContext, accountId: string, data: ReturnType<typeof rowOf>): Promise<void> {
  const make = async (tx: PrismaTx): Promise<void> => {
    await lockRow(tx, 'account', accountId)
    if ((await tx.accountVoice.count({ where: { accountId } })) >= MAX_VOICES)
      throw invalidRequest(`Delete a voice first: an account has at most ${MAX_VOICES}.`)
    await tx.accountVoice.create({ data })
  }
  await ctx.db.prisma.$transaction(make).catch(nameTaken)
}

/** @throws INVALID_REQUEST if the name is taken, else the error */
export function nameTaken(error: unknown): never {
  if ((error as { code?: unknown }).code === UNIQUE_VIOLATION)
    throw invalid([{ path: 'name', message: 'is taken by another voice' }])
  throw error
}
