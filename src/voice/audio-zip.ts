import { addAbortSignal, Readable } from 'node:stream'
import { makeZip } from 'client-zip'
import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import { formatOfType } from '../audio/format.ts'
import type { Context, Parts } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { UrlParts } from '../jobs/sign-outputs.ts'
import { SIGNED_URL_SECONDS } from '../storage/storage.ts'
import { isId } from '../values/id.ts'
import { loadSubmittedTexts } from './submitted-texts.ts'

export const ZIP_FOLDER = 'zip'
export const ZIP_TYPE = 'application/zip'
const PREFIX = 'job_'
const MAX_IDS = 100
const MAX_BYTES = 4 * 2 ** 30
const MAX_NAME_CHARACTERS = 60
const MISSING = 'Missing audio.txt'
/** Characters that a file system refuses or that change how a name reads. */
const UNFIT = /[\p{C}<>:"/\\|?*]/gu

const FIND = `
  select j.id, j.status, j.voice, j.created_at as "createdAt", a.storage_key as "storageKey", a.content_type as "contentType",
    a.bytes::float8 as bytes, a.deleted_at is not null as "isDeleted"
  from job j left join artifact a on a.job_id = j.id and a.output = 'audio' and a.job_id = any($1::text[])
  where j.id = any($1::text[]) and j.type = 'voice' and ($2::text is null or j.account_id = $2)`

export interface AudioZip {
  readonly url: string
  readonly expiresAt: Date
  readonly files: number
  /** Sum of the files. */
  readonly bytes: number
  /** Those of the asked ids whose audio is not in the file. */
  readonly missingIds: readonly string[]
}

interface StoredJob {
  readonly id: string
  readonly status: string
  readonly voice: string | null
  readonly createdAt: Date
  readonly storageKey: string | null
  readonly contentType: string | null
  readonly bytes: number | null
  readonly isDeleted: boolean
}

/**
 * A signed URL of one ZIP file with the stored audio of up to 100 voice jobs.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (also if no job has audio, or all of it is more than 4 GiB)
 */
export async function audioZip(
  ctx: Context & UrlParts,
  { ids }: { readonly ids: readonly string[] },
): Promise<AudioZip> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  if (ids.length === 0 || ids.length > MAX_IDS) throw refuse(`Name 1 to ${MAX_IDS} jobs.`, `must name 1 to ${MAX_IDS}`)
  const asked = [...new Set(ids)]
  const jobs = await findJobs(
    ctx.db.pool,
    asked.filter((id) => isId('job', id)),
    accountId,
  )
  const present = [...jobs.values()].filter((job) => whyMissing(job) === null)
  const bytes = present.reduce((sum, job) => sum + (job.bytes ?? 0), 0)
  if (present.length === 0) throw refuse('Name jobs that have audio: none of these has.', 'have no audio')
  if (bytes > MAX_BYTES)
    throw refuse('Name fewer jobs: their audio is more than 4 GiB.', 'have more than 4 GiB of audio')
  const names = asked.filter((id) => jobs.has(id)).map((id) => id.slice(PREFIX.length))
  const now = ctx.now()
  return {
    url: ctx.speechUrls.sign(`${ZIP_FOLDER}/${names.join('-')}.zip`, ZIP_TYPE, now),
    expiresAt: new Date((Math.floor(now.getTime() / 1000) + SIGNED_URL_SECONDS) * 1000),
    files: present.length,
    bytes,
    missingIds: asked.filter((id) => present.every((job) => job.id !== id)),
  }
}

const refuse = (hint: string, message: string) => invalidRequest(hint, [{ path: '/ids', message }])

async function findJobs(
  db: Pick<Tx, 'query'>,
  ids: readonly string[],
  accountId: string | null,
): Promise<Map<string, StoredJob>> {
  const { rows } = await db.query<StoredJob>({ name: 'zipped_jobs', text: FIND, values: [ids, accountId] })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Null if the job's audio is there. */
function whyMissing(job: StoredJob | undefined): string | null {
  if (job === undefined) return 'the job was deleted'
  if (job.isDeleted) return 'its audio was deleted'
  if (job.storageKey !== null) return null
  return job.status === 'failed' ? 'it failed' : 'it is not spoken yet'
}

/**
 * @param name as `audioZip` signs it
 * @returns null if it names no jobs
 */
export function idsInZip(name: string): readonly string[] | null {
  const ids = name
    .replace(/\.zip$/, '')
    .split('-')
    .map((id) => PREFIX + id)
  return ids.every((id) => isId('job', id)) ? ids : null
}

/** The ZIP file of these jobs: each stored file as it is. It opens the first one at once, so the caller must read it. */
export function openZip(parts: Pick<Parts, 'db' | 'storage'>, ids: readonly string[], gone: AbortSignal): Readable {
  return zipOf(filesOf(parts, ids, gone))
}

interface ZippedFile {
  readonly name: string
  readonly lastModified: Date
  readonly input: Readable | string
}

export const zipOf = (files: AsyncIterable<ZippedFile>): Readable =>
  Readable.fromWeb(makeZip(files) as Parameters<typeof Readable.fromWeb>[0])

/** With line ends and a mark that every editor reads. */
export const missingFile = (lines: readonly string[]): ZippedFile => ({
  ...{ name: MISSING, lastModified: new Date() },
  input: `\ufeff${lines.join('\r\n')}\r\n`,
})

async function* filesOf({ db, storage }: Pick<Parts, 'db' | 'storage'>, ids: readonly string[], gone: AbortSignal) {
  const jobs = await findJobs(db.pool, ids, null)
  const texts = await loadSubmittedTexts(db.pool, ids)
  const missing: string[] = []
  for (const [index, id] of ids.entries()) {
    const job = jobs.get(id)
    const title = titleOf(job, texts.get(id)?.excerpt ?? '')
    const content = whyMissing(job) === null ? await readStored(storage, job!.storageKey!) : null
    if (content === null) {
      missing.push(`${title} (${id}): ${whyMissing(job) ?? 'its audio was deleted'}.`)
      continue
    }
    const place = String(index + 1).padStart(String(ids.length).length, '0')
    const extension = formatOfType(job!.contentType ?? '') ?? 'bin'
    const input = addAbortSignal(gone, content)
    yield { name: `${place} ${title}.${extension}`, lastModified: job!.createdAt, input }
  }
  if (missing.length > 0) yield missingFile(missing)
}

/** Null if the file was deleted. */
const readStored = (storage: Parts['storage'], key: string): Promise<Readable | null> =>
  storage.read(key).catch(async (error: unknown) => {
    if ((await storage.stat(key)) === null) return null
    throw error
  })

/** The first words, else voice and time. */
function titleOf(job: StoredJob | undefined, excerpt = ''): string {
  const title = fileTitle(excerpt)
  if (title !== '') return title
  return job === undefined
    ? 'Deleted'
    : `${job.voice ?? 'speech'} ${job.createdAt.toISOString().slice(0, 16).replace(/[T:]/g, '-')}`
}

/** The first words of a text that fit into the name of a file; perhaps none. */
export function fileTitle(text: string): string {
  const words = text.replace(UNFIT, ' ').replace(/\s+/g, ' ').trim()
  const [...characters] = words
  const cut = characters.slice(0, MAX_NAME_CHARACTERS).join('')
  const whole = characters.length <= MAX_NAME_CHARACTERS ? cut : cut.replace(/\s\S*$/, '')
  return whole.replace(/[. ]+$/, '')
}
