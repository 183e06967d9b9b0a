import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Actor, ownerOf } from '../access/actor.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { checkName } from '../accounts/accounts.ts'
import type { Recordings } from '../audio/recordings.ts'
import { durationMs, type Wav, writeWav } from '../audio/wav.ts'
import type { Context, Parts } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import type { RowQuery } from '../db/row-query.ts'
import { LANGUAGES } from '../engines/espeak/detect-language.ts'
import { type Detail, invalidRequest, ServiceError } from '../errors/service-error.ts'
import type { Form } from '../http/multipart-body.ts'
import { idTime, isId, newId } from '../values/id.ts'
import { hasControl } from '../values/printable.ts'
import {
  type AccountVoice,
  findVoice,
  type LibraryContext,
  MAX_VOICES,
  storageKeyOf,
  VOICE_VIEW,
  voiceNotFound,
} from './account-voices.ts'

const MAX_CONSENT_CHARACTERS = 2000
const MAX_TRANSCRIPT_CHARACTERS = 2000
const UNIQUE_VIOLATION = 'P2002'
const FILE = 'audio_sample'
const REQUIRED = ['name', 'consent'] as const
const OPTIONAL = ['ref_text', 'language'] as const
const KNOWN: ReadonlySet<string> = new Set([...REQUIRED, ...OPTIONAL, FILE])
const GRACE_MS = 3_600_000
const MOST_AT_ONCE = 1000

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
function nameTaken(error: unknown): never {
  if ((error as { code?: unknown }).code === UNIQUE_VIOLATION)
    throw invalid([{ path: 'name', message: 'is taken by another voice' }])
  throw error
}

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

/**
 * @param ignoresOthers skips unknown fields
 * @throws INVALID_REQUEST
 */
export function readVoiceForm({ fields, files }: Form, ignoresOthers = false): NewVoice {
  const details: Detail[] = []
  for (const path of REQUIRED) if (fields[path] === undefined) details.push({ path, message: 'is required' })
  if (files[FILE] === undefined)
    details.push({ path: FILE, message: fields[FILE] === undefined ? 'is required' : 'must be a file' })
  for (const path of [...Object.keys(fields), ...Object.keys(files)])
    if (!ignoresOthers && !KNOWN.has(path)) details.push({ path, message: 'unknown key' })
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
  return {
    name: fields.name ?? '',
    audio: files[FILE] ?? new Uint8Array(0),
    consent: fields.consent ?? '',
    transcript: fields.ref_text || null,
    language: fields.language || null,
  }
}

/** Counts an upload before its body, which memory holds whole. @throws UNAVAILABLE if too many are in progress */
export function admitUpload(
  ctx: { readonly actor: Actor; readonly recordings: Recordings },
  response: ServerResponse,
): void {
  const release = ctx.recordings.admit(ownerOf(ctx.actor) ?? '')
  if (release === null)
    throw new ServiceError('UNAVAILABLE', 'Send fewer uploads at once: try again in a moment.', {
      retryAfterSeconds: 1,
    })
  if (response.destroyed) release()
  else response.once('close', release)
}

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
